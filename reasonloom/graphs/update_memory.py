"""Update a memory: one node, one write."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.memory.update import update_memory

GRAPH = Graph(
    "update_memory",
    1,
    single_node("update_memory", update_memory),
    writes=True,
    components=("memoryRepository", "embeddingEngine", "graphBuilder"),
)
