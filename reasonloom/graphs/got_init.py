"""Beginning a Graph of Thoughts: one node, one write."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.thought_graph.init import begin_graph

GRAPH = Graph("got_init", 1, single("begin_graph", begin_graph), writes=True)
"""Makes a graph with its root, in a session of its own or a given one."""
