"""Listing nodes: one node, nothing is written."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.graph_memory.memory_query import memory_query

GRAPH = Graph("memory_query", 1, single("memory_query", memory_query))
