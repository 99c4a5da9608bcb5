"""List checkpoints: one node that reads."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.reasoning.checkpoint_list import checkpoint_list

GRAPH = Graph("checkpoint_list", 1, single("checkpoint_list", checkpoint_list))
