"""Renders nodes for answers, and warns about suspicious ones."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from reasonloom.contracts.graph_memory.shared import MemoryEdge, MemoryNode, ScoredNode
from reasonloom.contracts.memory.export_format import EdgeType
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.memory.injection.detection import injection_notes
from reasonloom.stores.graph_memory.evidence import EdgeRow
from reasonloom.stores.graph_memory.memory_nodes import NodeRow

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
DIGITS = 4
CONTENT_BUDGET = 200_000
"""Maximum total characters of the contents in one answer."""

LEAST_CONTENT = 400
CONTENT_CUT = (
    "{count} contents were cut to {length} characters; request fewer nodes to see them in full"
)


def to_microseconds(moment: datetime) -> int:
    """Return a time as exact microseconds since 1970-01-01 UTC."""
    return (moment - EPOCH) // MICROSECOND


def from_microseconds(microseconds: int) -> datetime:
    """Return the time for microseconds since 1970-01-01 UTC, at most the latest representable."""
    try:
        return EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)


def render_node(row: NodeRow) -> MemoryNode:
    """Return a node as used in answers."""
    return MemoryNode(**node_fields(row))


def render_scored_node(row: NodeRow, score: float) -> ScoredNode:
    """Return a node with its score, 0..1."""
    return ScoredNode(**node_fields(row), score=round(score, DIGITS))


def node_fields(row: NodeRow) -> dict[str, Any]:
    """Return the fields that all node models share."""
    return {
        "node_id": row.id,
        "event_type": row.event_type,
        "content": row.content,
        "confidence": row.confidence,
        "session_id": row.session,
        "created_at": to_microseconds(row.created_at),
        "strength": round(row.strength, DIGITS),
        "access_count": row.access_count,
        "superseded_by": row.superseded_by,
    }


def render_edge(edge: EdgeRow) -> MemoryEdge:
    """Return an edge as used in answers."""
    return MemoryEdge(
        source_id=edge.source_id,
        target_id=edge.target_id,
        edge_type=cast("EdgeType", edge.kind),
        weight=edge.weight,
        reason=edge.reason,
    )


def bound_contents(rows: Sequence[NodeRow]) -> tuple[list[NodeRow], list[str]]:
    """Cut the nodes' contents to fit into an answer; also return a note if any was cut."""
    if sum(len(row.content) for row in rows) <= CONTENT_BUDGET:
        return list(rows), []
    length = max(LEAST_CONTENT, CONTENT_BUDGET // len(rows))
    cut = sum(len(row.content) > length for row in rows)
    bounded = [
        replace(row, content=f"{row.content[:length]}…") if len(row.content) > length else row
        for row in rows
    ]
    return bounded, [CONTENT_CUT.format(count=cut, length=length)]


def injection_warnings(execution: Execution, nodes: Iterable[MemoryNode]) -> list[str]:
    """Return a note on suspicious nodes; none if there are none or the setting is off."""
    if not execution.loom.settings.suspicion:
        return []
    return injection_notes({str(node.node_id): node.content for node in nodes})
