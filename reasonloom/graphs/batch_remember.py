"""Batch remember: one node, one write."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.memory.batch import batch_remember

GRAPH = Graph(
    "batch_remember",
    1,
    single_node("batch_remember", batch_remember),
    writes=True,
    components=("memoryRepository", "embeddingEngine", "graphBuilder"),
)
