"""Adding a node with its edges: one node, one write."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.graph_memory.memory_add import memory_add

GRAPH = Graph("memory_add", 1, single("memory_add", memory_add), writes=True)
