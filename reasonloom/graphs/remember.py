"""Remember: one node, one write."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.memory.remember import remember

GRAPH = Graph(
    "remember",
    1,
    single_node("remember", remember),
    writes=True,
    components=("memoryRepository", "embeddingEngine", "graphBuilder"),
)
