"""Prune: one node, one write."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.memory.maintenance.health import prune_memories

GRAPH = Graph(
    "prune_memories",
    1,
    single_node("prune_memories", prune_memories),
    writes=True,
    components=("memoryRepository",),
)
