"""Telling which memory files know a topic: one node that reads."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.graph_memory.workspaces.tools import memory_workspace_xref

GRAPH = Graph(
    "memory_workspace_xref", 1, single_node("memory_workspace_xref", memory_workspace_xref)
)
