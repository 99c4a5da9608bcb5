"""Beginning a Graph of Thoughts: one node, one write."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.thought_graph.init import begin_graph

GRAPH = Graph("got_init", 1, single_node("begin_graph", begin_graph), writes=True)
"""Makes a graph with its root, in a session of its own or a given one."""
