"""Adding a node with its edges: one node, one write."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.graph_memory.writing import memory_add

GRAPH = Graph("memory_add", 1, single_node("memory_add", memory_add), writes=True)
