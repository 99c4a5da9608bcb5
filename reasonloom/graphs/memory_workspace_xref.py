"""Telling which memory files know a topic: one node that reads."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.graph_memory.workspaces.tools import memory_workspace_xref

GRAPH = Graph("memory_workspace_xref", 1, single("memory_workspace_xref", memory_workspace_xref))
