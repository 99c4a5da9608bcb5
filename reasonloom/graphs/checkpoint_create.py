"""Set a checkpoint: one node, one write."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.reasoning.checkpoints import checkpoint_create

GRAPH = Graph(
    "checkpoint_create", 1, single_node("checkpoint_create", checkpoint_create), writes=True
)
