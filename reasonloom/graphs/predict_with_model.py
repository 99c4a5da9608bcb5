"""Predicting with a mental model: one node, one write."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.mental_models.predict import predict_with_model

GRAPH = Graph(
    "predict_with_model", 1, single_node("predict_with_model", predict_with_model), writes=True
)
