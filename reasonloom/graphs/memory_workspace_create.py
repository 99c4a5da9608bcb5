"""Making a workspace: one node, one write."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.graph_memory.workspaces.tools import memory_workspace_create

GRAPH = Graph(
    "memory_workspace_create",
    1,
    single_node("memory_workspace_create", memory_workspace_create),
    writes=True,
)
