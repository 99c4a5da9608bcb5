"""Listing projects: one node, nothing is written."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.history.history_list_projects import history_list_projects

GRAPH = Graph("history_list_projects", 1, single("history_list_projects", history_list_projects))
