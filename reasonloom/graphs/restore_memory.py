"""Restore: one node, one write."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.memory.restore_memory import restore_memory

GRAPH = Graph(
    "restore_memory",
    1,
    single("restore_memory", restore_memory),
    writes=True,
    components=("memoryRepository",),
)
