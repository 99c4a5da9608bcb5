"""Forgetting past conversations: one node, one write."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.history.forget import history_forget

GRAPH = Graph("history_forget", 1, single_node("history_forget", history_forget), writes=True)
