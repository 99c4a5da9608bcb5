"""Comparing what memory files say of a topic: one node that reads."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.graph_memory.workspaces.compare import memory_workspace_compare

GRAPH = Graph(
    "memory_workspace_compare", 1, single_node("memory_workspace_compare", memory_workspace_compare)
)
