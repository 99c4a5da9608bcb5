"""Showing what came next in the past: one node, nothing is written."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.history.chains.recall import history_predict

GRAPH = Graph("history_predict", 1, single_node("history_predict", history_predict))
