"""Detecting biases."""

from reasonloom.graphs.checks import check
from reasonloom.nodes.metacognition.answer import answer_bias
from reasonloom.nodes.metacognition.state import bias_input

GRAPH = check("detect_bias", bias_input, answer_bias, ("biasDetector",))
