"""Prune: one node, one write."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.memory.maintenance.prune_memories import prune_memories

GRAPH = Graph(
    "prune_memories",
    1,
    single("prune_memories", prune_memories),
    writes=True,
    components=("memoryRepository",),
)
