"""Revising a mental model: one node, one write."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.mental_models.revise import revise_model

GRAPH = Graph("revise_model", 1, single_node("revise_model", revise_model), writes=True)
