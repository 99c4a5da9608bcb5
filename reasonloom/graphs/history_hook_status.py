"""Status of the hooks: one node that only reads."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.history.hook_status import history_hook_status

GRAPH = Graph("history_hook_status", 1, single("history_hook_status", history_hook_status))
