"""Correcting a node by a new one: one node, one write."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.graph_memory.writing import memory_correct

GRAPH = Graph("memory_correct", 1, single("memory_correct", memory_correct), writes=True)
