"""Logging a conversation: one node, one write."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.graph_memory.conversation_log import conversation_log

GRAPH = Graph("conversation_log", 1, single("conversation_log", conversation_log), writes=True)
