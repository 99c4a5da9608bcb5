"""Batch recall: one node that only reads."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.memory.batch_recall import batch_recall

GRAPH = Graph(
    "batch_recall", 1, single("batch_recall", batch_recall), components=("memoryRepository",)
)
