"""Listing projects: one node, nothing is written."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.history.lists import history_list_projects

GRAPH = Graph(
    "history_list_projects", 1, single_node("history_list_projects", history_list_projects)
)
