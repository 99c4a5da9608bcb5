"""Logging a conversation: one node, one write."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.graph_memory.sessions import conversation_log

GRAPH = Graph("conversation_log", 1, single_node("conversation_log", conversation_log), writes=True)
