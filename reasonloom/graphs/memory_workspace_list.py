"""Listing the memory files of a workspace: one node that reads."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.graph_memory.workspaces.memory_workspace_list import memory_workspace_list

GRAPH = Graph("memory_workspace_list", 1, single("memory_workspace_list", memory_workspace_list))
