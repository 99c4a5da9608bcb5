"""Adding a memory file to a workspace: one node, one write."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.graph_memory.workspaces.tools import memory_workspace_add

GRAPH = Graph(
    "memory_workspace_add",
    1,
    single_node("memory_workspace_add", memory_workspace_add),
    writes=True,
)
