"""Focus on a branch: one node, one write."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.reasoning.tree_focus import tree_focus

GRAPH = Graph("tree_focus", 1, single("tree_focus", tree_focus), writes=True)
