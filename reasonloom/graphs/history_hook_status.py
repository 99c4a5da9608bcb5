"""Status of the hooks: one node that only reads."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.history.hook_status import history_hook_status

GRAPH = Graph("history_hook_status", 1, single_node("history_hook_status", history_hook_status))
