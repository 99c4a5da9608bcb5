"""Counting nodes and edges: one node, nothing is written."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.graph_memory.memory_stats import memory_stats

GRAPH = Graph("memory_stats", 1, single("memory_stats", memory_stats))
