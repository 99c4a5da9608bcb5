"""Answers `memory_stats`: how much the graph holds."""

from __future__ import annotations

from typing import Any, get_args

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.queries import GraphStats
from reasonloom.contracts.memory.export_format import EdgeType, EventType
from reasonloom.errors import EmbedderUnavailable
from reasonloom.nodes.graph_memory.given_vector import dimension_of
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.state import ToolState
from reasonloom.stores.graph_memory.census_of_nodes import WEIGHED, count

ESTIMATED = "file_size_bytes is estimated from the newest {weighed:,} memories"
NO_DIMENSION = "the embedder cannot be used, so its dimension is not known: {reason}"


async def memory_stats(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Count nodes, edges, sessions and bytes of the owner's graph."""
    execution = runtime.context
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        counted = await count(tx)
    notes = [ESTIMATED.format(weighed=WEIGHED)] if counted.estimated else []
    try:
        dimension = await dimension_of(execution.loom.embedder)
    except EmbedderUnavailable as fault:
        dimension = 0
        notes.append(NO_DIMENSION.format(reason=fault.message))
    answer = GraphStats(
        node_count=sum(counted.types.values()),
        edge_count=sum(counted.edges.values()),
        dimension=dimension,
        session_count=counted.sessions,
        type_counts={kind: counted.types.get(kind, 0) for kind in get_args(EventType)},
        file_size_bytes=counted.bytes,
        edge_type_counts={kind: counted.edges.get(kind, 0) for kind in get_args(EdgeType)},
        superseded_count=counted.superseded,
    )
    return {"answer": answer.wire(), "notes": notes}
