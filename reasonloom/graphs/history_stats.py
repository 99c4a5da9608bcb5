"""Counting history: one node, nothing is written."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.history.history_stats import history_stats

GRAPH = Graph("history_stats", 1, single("history_stats", history_stats))
