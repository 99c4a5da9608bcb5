"""Showing a span of time: one node, nothing is written."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.history.reconstruct import history_reconstruct

GRAPH = Graph("history_reconstruct", 1, single("history_reconstruct", history_reconstruct))
