"""Finding what is half remembered: one node, nothing is written."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.graph_memory.memory_suggest import memory_suggest

GRAPH = Graph("memory_suggest", 1, single("memory_suggest", memory_suggest))
