"""Adding a memory file to a workspace: one node, one write."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.graph_memory.workspaces.memory_workspace_add import memory_workspace_add

GRAPH = Graph(
    "memory_workspace_add", 1, single("memory_workspace_add", memory_workspace_add), writes=True
)
