"""Counting history: one node, nothing is written."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.history.lists import history_stats

GRAPH = Graph("history_stats", 1, single_node("history_stats", history_stats))
