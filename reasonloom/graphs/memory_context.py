"""Showing what stands around a node: one node, reads only."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.graph_memory.memory_context import memory_context

GRAPH = Graph("memory_context", 1, single("memory_context", memory_context))
