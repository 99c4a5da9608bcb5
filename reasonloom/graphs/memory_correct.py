"""Correcting a node by a new one: one node, one write."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.graph_memory.writing import memory_correct

GRAPH = Graph("memory_correct", 1, single_node("memory_correct", memory_correct), writes=True)
