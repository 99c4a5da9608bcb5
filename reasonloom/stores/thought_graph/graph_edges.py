"""Edges of a Graph of Thoughts; writers lock the graph."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.statements import columns, load, values_of


@dataclass(frozen=True, slots=True)
class NewEdge:
    """An edge to add; `weight` is 0..1, `reason` is given if it is not obvious."""

    id: UUID
    graph_id: UUID
    from_node: UUID
    to_node: UUID
    edge_type: str
    weight: float
    run_id: UUID
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """An edge as stored; it points in the direction of the reasoning."""

    id: UUID
    graph_id: UUID
    from_node: UUID
    to_node: UUID
    edge_type: str
    weight: float
    reason: str | None
    run_id: UUID | None
    created_at: datetime


SQL = load(__file__, columns=columns(EdgeRow))


async def add(tx: Transaction, edges: Sequence[NewEdge]) -> None:
    """Add edges; existing ones stay as they are.

    Two nodes have at most one edge of a type.
    """
    if edges:
        rows = [values_of(edge) for edge in edges]
        await tx.run(SQL.add, {"rows": json.dumps(rows, default=str)})


async def of_graph(tx: Transaction, graph_id: UUID) -> list[EdgeRow]:
    """Return the edges of a graph, oldest first."""
    return await tx.rows(EdgeRow, SQL.of_graph, {"graph": graph_id})
