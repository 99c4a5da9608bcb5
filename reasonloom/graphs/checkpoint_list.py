"""List checkpoints: one node that reads."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.reasoning.checkpoints import checkpoint_list

GRAPH = Graph("checkpoint_list", 1, single_node("checkpoint_list", checkpoint_list))
