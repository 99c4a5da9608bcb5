"""Comparing what memory files say of a topic: one node that reads."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.graph_memory.workspaces.compare import memory_workspace_compare

GRAPH = Graph(
    "memory_workspace_compare", 1, single("memory_workspace_compare", memory_workspace_compare)
)
