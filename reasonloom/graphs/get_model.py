"""Showing a mental model: one node, nothing is written."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.mental_models.read import get_model

GRAPH = Graph("get_model", 1, single("get_model", get_model))
