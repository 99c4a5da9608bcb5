"""Export in short form: one node that only reads."""

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.memory.portable.export import export_memories

GRAPH = Graph(
    "export_memories",
    1,
    single_node("export_memories", export_memories),
    components=("memoryRepository",),
)
