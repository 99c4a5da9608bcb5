"""Listing the memory files of a workspace: one node that reads."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.graph_memory.workspaces.tools import memory_workspace_list

GRAPH = Graph(
    "memory_workspace_list", 1, single_node("memory_workspace_list", memory_workspace_list)
)
