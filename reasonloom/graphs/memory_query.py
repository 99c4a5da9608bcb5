"""Listing nodes: one node, nothing is written."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.graph_memory.query import memory_query

GRAPH = Graph("memory_query", 1, single_node("memory_query", memory_query))
