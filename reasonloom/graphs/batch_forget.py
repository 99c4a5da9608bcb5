"""Batch forget: one node, one write."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.memory.batch_forget import batch_forget

GRAPH = Graph(
    "batch_forget",
    1,
    single("batch_forget", batch_forget),
    writes=True,
    components=("memoryRepository",),
)
