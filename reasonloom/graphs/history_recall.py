"""Recalling what led to something: one node, nothing is written."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.history.chains.history_recall import history_recall

GRAPH = Graph("history_recall", 1, single("history_recall", history_recall))
