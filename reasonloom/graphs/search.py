"""Search: one node that only reads."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.memory.search import search

GRAPH = Graph(
    "search", 1, single("search", search), components=("memoryRepository", "searchEngine")
)
