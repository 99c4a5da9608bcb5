"""Finding what is half remembered: one node, nothing is written."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.graph_memory.evidence import memory_suggest

GRAPH = Graph("memory_suggest", 1, single_node("memory_suggest", memory_suggest))
