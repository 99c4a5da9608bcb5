"""Batch recall: one node that only reads."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.memory.batch import batch_recall

GRAPH = Graph(
    "batch_recall", 1, single_node("batch_recall", batch_recall), components=("memoryRepository",)
)
