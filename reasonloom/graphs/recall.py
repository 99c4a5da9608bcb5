"""Recall: one node that only reads."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.memory.recall import recall

GRAPH = Graph(
    "recall",
    1,
    single_node("recall", recall),
    components=("memoryRepository", "embeddingEngine", "searchEngine"),
)
