"""Showing what speaks of something: one node, nothing is written."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.graph_memory.evidence import memory_evidence

GRAPH = Graph("memory_evidence", 1, single("memory_evidence", memory_evidence))
