"""Focus on a branch: one node, one write."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.reasoning.branches import tree_focus

GRAPH = Graph("tree_focus", 1, single_node("tree_focus", tree_focus), writes=True)
