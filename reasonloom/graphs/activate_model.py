"""Changing a mental model's status: one node, one write."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.mental_models.revise import activate_model

GRAPH = Graph("activate_model", 1, single_node("activate_model", activate_model), writes=True)
