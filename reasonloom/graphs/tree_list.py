"""List branches: one node that reads."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.reasoning.branches import tree_list

GRAPH = Graph("tree_list", 1, single_node("tree_list", tree_list))
