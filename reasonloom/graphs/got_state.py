"""A graph of thoughts in figures: one node that reads."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.thought_graph.rendering import tell_graph

GRAPH = Graph("got_state", 1, single("tell_graph", tell_graph))
