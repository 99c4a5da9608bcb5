"""Listing basins: one node, nothing is written."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.mental_models.basins.list_basins import list_basins

GRAPH = Graph("list_basins", 1, single_node("list_basins", list_basins))
