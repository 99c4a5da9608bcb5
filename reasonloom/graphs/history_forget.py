"""Forgetting past conversations: one node, one write."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.history.forget import history_forget

GRAPH = Graph("history_forget", 1, single("history_forget", history_forget), writes=True)
