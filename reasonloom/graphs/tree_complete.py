"""Complete a branch: one node, one write."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.reasoning.tree_complete import tree_complete

GRAPH = Graph("tree_complete", 1, single("tree_complete", tree_complete), writes=True)
