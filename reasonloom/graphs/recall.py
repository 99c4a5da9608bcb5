"""Recall: one node that only reads."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.memory.recall import recall

GRAPH = Graph(
    "recall",
    1,
    single("recall", recall),
    components=("memoryRepository", "embeddingEngine", "searchEngine"),
)
