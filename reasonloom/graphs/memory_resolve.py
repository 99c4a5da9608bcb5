"""Finding the newest version of a node: one node, reads only."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.graph_memory.writing import memory_resolve

GRAPH = Graph("memory_resolve", 1, single_node("memory_resolve", memory_resolve))
