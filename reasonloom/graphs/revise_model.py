"""Revising a mental model: one node, one write."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.mental_models.revise import revise_model

GRAPH = Graph("revise_model", 1, single("revise_model", revise_model), writes=True)
