"""Searching memory files together: one node that reads."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.graph_memory.workspaces.memory_workspace_query import memory_workspace_query

GRAPH = Graph("memory_workspace_query", 1, single("memory_workspace_query", memory_workspace_query))
