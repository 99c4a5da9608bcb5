"""Telling what depends on a node: one node, reads only."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.graph_memory.walking import memory_causal

GRAPH = Graph("memory_causal", 1, single_node("memory_causal", memory_causal))
