"""Showing what speaks of something: one node, nothing is written."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.graph_memory.evidence import memory_evidence

GRAPH = Graph("memory_evidence", 1, single_node("memory_evidence", memory_evidence))
