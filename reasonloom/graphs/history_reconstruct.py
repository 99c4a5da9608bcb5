"""Showing a span of time: one node, nothing is written."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.history.reconstruct import history_reconstruct

GRAPH = Graph("history_reconstruct", 1, single_node("history_reconstruct", history_reconstruct))
