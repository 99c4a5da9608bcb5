"""Batch forget: one node, one write."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.memory.batch import batch_forget

GRAPH = Graph(
    "batch_forget",
    1,
    single_node("batch_forget", batch_forget),
    writes=True,
    components=("memoryRepository",),
)
