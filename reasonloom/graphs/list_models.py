"""Listing mental models: one node, nothing is written."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.mental_models.read import list_models

GRAPH = Graph("list_models", 1, single_node("list_models", list_models))
