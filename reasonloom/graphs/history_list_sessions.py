"""Listing sessions: one node, nothing is written."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.history.lists import history_list_sessions

GRAPH = Graph(
    "history_list_sessions", 1, single_node("history_list_sessions", history_list_sessions)
)
