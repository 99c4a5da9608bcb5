"""Listing mental models: one node, nothing is written."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.mental_models.list_models import list_models

GRAPH = Graph("list_models", 1, single("list_models", list_models))
