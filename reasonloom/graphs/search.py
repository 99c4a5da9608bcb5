"""Search: one node that only reads."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.memory.search import search

GRAPH = Graph(
    "search", 1, single_node("search", search), components=("memoryRepository", "searchEngine")
)
