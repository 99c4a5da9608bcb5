"""Beginning a session: one node, one write."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.graph_memory.sessions import session_start

GRAPH = Graph("session_start", 1, single_node("session_start", session_start), writes=True)
