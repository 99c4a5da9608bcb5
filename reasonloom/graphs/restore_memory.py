"""Restore: one node, one write."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.memory.forget import restore_memory

GRAPH = Graph(
    "restore_memory",
    1,
    single_node("restore_memory", restore_memory),
    writes=True,
    components=("memoryRepository",),
)
