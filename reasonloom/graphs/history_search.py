"""Searching past conversations: one node, nothing is written."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.history.history_search import history_search

GRAPH = Graph("history_search", 1, single("history_search", history_search))
