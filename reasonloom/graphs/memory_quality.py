"""Judging the graph: one node, nothing is written."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.graph_memory.quality import memory_quality

GRAPH = Graph("memory_quality", 1, single("memory_quality", memory_quality))
