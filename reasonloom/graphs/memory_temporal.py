"""Comparing two ranges: one node, nothing is written."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.graph_memory.query import memory_temporal

GRAPH = Graph("memory_temporal", 1, single_node("memory_temporal", memory_temporal))
