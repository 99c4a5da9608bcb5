"""Searching past conversations: one node, nothing is written."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.history.search import history_search

GRAPH = Graph("history_search", 1, single_node("history_search", history_search))
