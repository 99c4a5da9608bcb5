"""Showing what stands around a node: one node, reads only."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.graph_memory.walking import memory_context

GRAPH = Graph("memory_context", 1, single_node("memory_context", memory_context))
