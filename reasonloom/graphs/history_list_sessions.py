"""Listing sessions: one node, nothing is written."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.history.lists import history_list_sessions

GRAPH = Graph("history_list_sessions", 1, single("history_list_sessions", history_list_sessions))
