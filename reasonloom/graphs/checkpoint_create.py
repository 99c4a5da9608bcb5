"""Set a checkpoint: one node, one write."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.reasoning.checkpoints import checkpoint_create

GRAPH = Graph("checkpoint_create", 1, single("checkpoint_create", checkpoint_create), writes=True)
