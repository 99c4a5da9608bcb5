"""Beginning a session: one node, one write."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.graph_memory.sessions import session_start

GRAPH = Graph("session_start", 1, single("session_start", session_start), writes=True)
