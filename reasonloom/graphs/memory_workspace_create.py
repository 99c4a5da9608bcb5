"""Making a workspace: one node, one write."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.graph_memory.workspaces.memory_workspace_create import memory_workspace_create

GRAPH = Graph(
    "memory_workspace_create",
    1,
    single("memory_workspace_create", memory_workspace_create),
    writes=True,
)
