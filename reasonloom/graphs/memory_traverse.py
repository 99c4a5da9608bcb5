"""Walking from a node: one node, reads only."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.graph_memory.memory_traverse import memory_traverse

GRAPH = Graph("memory_traverse", 1, single("memory_traverse", memory_traverse))
