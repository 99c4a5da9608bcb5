"""Searching memory files together: one node that reads."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.graph_memory.workspaces.tools import memory_workspace_query

GRAPH = Graph(
    "memory_workspace_query", 1, single_node("memory_workspace_query", memory_workspace_query)
)
