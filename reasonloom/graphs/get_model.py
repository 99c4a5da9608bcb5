"""Showing a mental model: one node, nothing is written."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.mental_models.read import get_model

GRAPH = Graph("get_model", 1, single_node("get_model", get_model))
