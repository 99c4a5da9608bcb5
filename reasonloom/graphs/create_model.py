"""Making a mental model: one node, one write."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.mental_models.create import create_model

GRAPH = Graph("create_model", 1, single_node("create_model", create_model), writes=True)
