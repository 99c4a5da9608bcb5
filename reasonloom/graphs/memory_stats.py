"""Counting nodes and edges: one node, nothing is written."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.graph_memory.quality import memory_stats

GRAPH = Graph("memory_stats", 1, single_node("memory_stats", memory_stats))
