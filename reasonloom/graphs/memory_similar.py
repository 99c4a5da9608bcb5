"""Finding what is alike: one node, nothing is written."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.graph_memory.similar import memory_similar

GRAPH = Graph("memory_similar", 1, single_node("memory_similar", memory_similar))
