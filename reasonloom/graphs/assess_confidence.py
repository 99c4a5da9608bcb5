"""Assessing how far reasoning can be relied on."""

from reasonloom.graphs.checks import check
from reasonloom.nodes.metacognition.answer import tell_confidence
from reasonloom.nodes.metacognition.requests import of_confidence

GRAPH = check("assess_confidence", of_confidence, tell_confidence, ("confidenceAssessor",))
