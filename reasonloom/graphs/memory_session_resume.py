"""Resuming: one node that reads."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.graph_memory.memory_session_resume import memory_session_resume

GRAPH = Graph("memory_session_resume", 1, single("memory_session_resume", memory_session_resume))
