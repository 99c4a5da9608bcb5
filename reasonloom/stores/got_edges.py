"""Edges of a Graph of Thoughts; what writes here holds the graph (`got_graphs.hold`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import Uuid, bindparam, select, text

from reasonloom.stores.got_tables import GraphEdge

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


IDS = ("id", "graph_id", "from_node", "to_node", "run_id")
ADD = text("""
INSERT INTO graph_edges (owner, id, graph_id, from_node, to_node, edge_type, weight, reason,
    run_id)
VALUES (:owner, :id, :graph_id, :from_node, :to_node, :edge_type, :weight, :reason, :run_id)
ON CONFLICT DO NOTHING
""").bindparams(*(bindparam(name, type_=Uuid) for name in IDS))
"""The same two nodes are joined once by one kind of edge, whoever draws it."""


async def add(tx: Transaction, edges: Iterable[NewEdge]) -> None:
    """Draw edges; one that is there stays as it is."""
    for edge in edges:
        values = {name: getattr(edge, name) for name in NewEdge.__slots__}
        await tx.run(ADD, {"owner": tx.owner, **values})


async def of_graph(tx: Transaction, graph_id: UUID) -> list[EdgeRow]:
    """Return the edges of a graph, oldest first."""
    columns = [getattr(GraphEdge, name) for name in EdgeRow.__slots__]
    rows = await tx.all(
        select(*columns)
        .where(GraphEdge.owner == tx.owner, GraphEdge.graph_id == graph_id)
        .order_by(GraphEdge.created_at, GraphEdge.id)
    )
    return [EdgeRow(**row._mapping) for row in rows]
