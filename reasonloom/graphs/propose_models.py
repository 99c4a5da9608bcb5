"""Proposing mental models: one node; what it keeps are drafts."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.mental_models.propose import propose_models

GRAPH = Graph("propose_models", 1, single("propose_models", propose_models), writes=True)
