"""Memory health: one node that only reads."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.memory.maintenance.health import memory_health

GRAPH = Graph(
    "memory_health",
    1,
    single_node("memory_health", memory_health),
    components=("memoryRepository",),
)
