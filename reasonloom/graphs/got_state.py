"""A graph of thoughts in figures: one node that reads."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.thought_graph.rendering import render_graph

GRAPH = Graph("got_state", 1, single_node("tell_graph", render_graph))
