"""Making a mental model: one node, one write."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.mental_models.create import create_model

GRAPH = Graph("create_model", 1, single("create_model", create_model), writes=True)
