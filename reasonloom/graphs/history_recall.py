"""Recalling what led to something: one node, nothing is written."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.history.chains.recall import history_recall

GRAPH = Graph("history_recall", 1, single_node("history_recall", history_recall))
