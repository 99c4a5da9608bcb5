"""Proposing mental models: one node; what it keeps are drafts."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.mental_models.propose import propose_models

GRAPH = Graph("propose_models", 1, single_node("propose_models", propose_models), writes=True)
