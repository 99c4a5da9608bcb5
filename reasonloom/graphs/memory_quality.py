"""Judging the graph: one node, nothing is written."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.graph_memory.quality import memory_quality

GRAPH = Graph("memory_quality", 1, single_node("memory_quality", memory_quality))
