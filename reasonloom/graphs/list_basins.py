"""Listing basins: one node, nothing is written."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.mental_models.basins.list_basins import list_basins

GRAPH = Graph("list_basins", 1, single("list_basins", list_basins))
