"""Complete a branch: one node, one write."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.reasoning.branches import tree_complete

GRAPH = Graph("tree_complete", 1, single_node("tree_complete", tree_complete), writes=True)
