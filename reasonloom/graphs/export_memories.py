"""Export in short form: one node that only reads."""

from reasonloom.graphs.graph import Graph
from reasonloom.graphs.single import single
from reasonloom.nodes.memory.portable.export_memories import export_memories

GRAPH = Graph(
    "export_memories",
    1,
    single("export_memories", export_memories),
    components=("memoryRepository",),
)
