"""Changing a mental model's status: one node, one write."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.mental_models.activate_model import activate_model

GRAPH = Graph("activate_model", 1, single("activate_model", activate_model), writes=True)
