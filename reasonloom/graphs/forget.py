"""Forget: one node, one write."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.memory.forget import forget

GRAPH = Graph("forget", 1, single("forget", forget), writes=True, components=("memoryRepository",))
