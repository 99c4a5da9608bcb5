"""Edges of a Graph of Thoughts; what writes here holds the graph (`got_graphs.hold`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from reasonloom.stores.thought_graph.graph_nodes import BATCH
from reasonloom.stores.thought_graph.tables import GraphEdge

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


@dataclass(frozen=True, slots=True)
class NewEdge:
    """An edge to be drawn; `weight` is 0..1, `reason` tells why where that is not plain."""

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
    """One edge as stored; it points the way that thought went."""

    id: UUID
    graph_id: UUID
    from_node: UUID
    to_node: UUID
    edge_type: str
    weight: float
    reason: str | None
    run_id: UUID | None
    created_at: datetime


async def add(tx: Transaction, edges: Sequence[NewEdge]) -> None:
    """Draw edges; one that is there stays as it is.

    The same two nodes are joined once by one kind of edge, whoever draws it.
    """
    if not edges:
        return
    values = [
        {"owner": tx.owner, **{name: getattr(edge, name) for name in NewEdge.__slots__}}
        for edge in edges
    ]
    for at in range(0, len(values), BATCH):
        await tx.run(insert(GraphEdge).values(values[at : at + BATCH]).on_conflict_do_nothing())


async def of_graph(tx: Transaction, graph_id: UUID) -> list[EdgeRow]:
    """Return the edges of a graph, oldest first."""
    columns = [getattr(GraphEdge, name) for name in EdgeRow.__slots__]
    rows = await tx.all(
        select(*columns)
        .where(GraphEdge.owner == tx.owner, GraphEdge.graph_id == graph_id)
        .order_by(GraphEdge.created_at, GraphEdge.id)
    )
    return [EdgeRow(**row._mapping) for row in rows]
