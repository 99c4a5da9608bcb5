"""Showing what came next in the past: one node, nothing is written."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.history.chains.history_predict import history_predict

GRAPH = Graph("history_predict", 1, single("history_predict", history_predict))
