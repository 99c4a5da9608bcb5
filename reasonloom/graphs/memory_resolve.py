"""Finding the newest version of a node: one node, reads only."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.graph_memory.memory_resolve import memory_resolve

GRAPH = Graph("memory_resolve", 1, single("memory_resolve", memory_resolve))
