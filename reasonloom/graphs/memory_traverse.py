"""Walking from a node: one node, reads only."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.graph_memory.walking import memory_traverse

GRAPH = Graph("memory_traverse", 1, single_node("memory_traverse", memory_traverse))
