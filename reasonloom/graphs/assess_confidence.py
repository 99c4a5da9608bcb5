"""Assessing how far reasoning can be relied on."""

from reasonloom.graphs.checks import check
from reasonloom.nodes.metacognition.answer import answer_confidence
from reasonloom.nodes.metacognition.state import confidence_input

GRAPH = check("assess_confidence", confidence_input, answer_confidence, ("confidenceAssessor",))
