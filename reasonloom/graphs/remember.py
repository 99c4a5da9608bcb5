"""Remember: one node, one write."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.memory.remember import remember

GRAPH = Graph(
    "remember",
    1,
    single("remember", remember),
    writes=True,
    components=("memoryRepository", "embeddingEngine", "graphBuilder"),
)
