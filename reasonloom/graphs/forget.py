"""Forget: one node, one write."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.memory.forget import forget

GRAPH = Graph(
    "forget", 1, single_node("forget", forget), writes=True, components=("memoryRepository",)
)
