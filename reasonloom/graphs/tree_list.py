"""List branches: one node that reads."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.reasoning.tree_list import tree_list

GRAPH = Graph("tree_list", 1, single("tree_list", tree_list))
