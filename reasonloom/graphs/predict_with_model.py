"""Predicting with a mental model: one node, one write."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.mental_models.predict_with_model import predict_with_model

GRAPH = Graph(
    "predict_with_model", 1, single("predict_with_model", predict_with_model), writes=True
)
