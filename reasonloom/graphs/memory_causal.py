"""Telling what depends on a node: one node, reads only."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.graph_memory.memory_causal import memory_causal

GRAPH = Graph("memory_causal", 1, single("memory_causal", memory_causal))
