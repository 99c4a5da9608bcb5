"""Resuming: one node that reads."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.graph_memory.sessions import memory_session_resume

GRAPH = Graph(
    "memory_session_resume", 1, single_node("memory_session_resume", memory_session_resume)
)
