"""Detecting biases."""

from reasonloom.graphs.checks import check
from reasonloom.nodes.metacognition.answer import tell_bias
from reasonloom.nodes.metacognition.requests import of_bias

GRAPH = check("detect_bias", of_bias, tell_bias, ("biasDetector",))
