"""Clusters of memories: one step."""

from __future__ import annotations

from reasonloom.graphs.graph import Graph, single_node
from reasonloom.nodes.mental_models.basins.cluster_memories import cluster_memories

GRAPH = Graph(
    "cluster_memories",
    1,
    single_node("cluster_memories", cluster_memories),
    saved=True,
    saved_offline=False,
    writes=True,
    components=("memoryRepository", "embeddingEngine"),
    words={"cluster_memories": "cluster memories"},
)
