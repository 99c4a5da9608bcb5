"""Finding what is alike: one node, nothing is written."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.graph_memory.similar import memory_similar

GRAPH = Graph("memory_similar", 1, single("memory_similar", memory_similar))
