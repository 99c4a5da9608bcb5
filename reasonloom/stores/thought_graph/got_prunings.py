"""Prunings of a Graph of Thoughts: each can be undone, the newest first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import Uuid, bindparam, func, select, text, update

from reasonloom.stores.thought_graph.tables import Pruning

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


@dataclass(frozen=True, slots=True)
class PruningRow:
    """One pruning as stored; `number` counts those of its graph from 1."""

    id: UUID
    graph_id: UUID
    number: int
    threshold: float
    run_id: UUID | None
    created_at: datetime
    restored_at: datetime | None


IDS = ("id", "graph_id", "run_id")
CREATE = text("""
INSERT INTO graph_prunings (owner, id, graph_id, number, threshold, run_id)
SELECT :owner, :id, :graph_id, coalesce(max(number), 0) + 1, :threshold, :run_id
FROM graph_prunings WHERE owner = :owner AND graph_id = :graph_id
ON CONFLICT (owner, id) DO NOTHING
""").bindparams(*(bindparam(name, type_=Uuid) for name in IDS))


async def create(
    tx: Transaction, pruning_id: UUID, graph_id: UUID, threshold: float, run_id: UUID
) -> None:
    """Note a pruning, unless it is there; the graph must be held."""
    values = {"id": pruning_id, "graph_id": graph_id, "threshold": threshold, "run_id": run_id}
    await tx.run(CREATE, {"owner": tx.owner, **values})


async def newest(tx: Transaction, graph_id: UUID) -> PruningRow | None:
    """Return the newest pruning of a graph that was not undone."""
    columns = [getattr(Pruning, name) for name in PruningRow.__slots__]
    row = await tx.first(
        select(*columns)
        .where(
            Pruning.owner == tx.owner,
            Pruning.graph_id == graph_id,
            Pruning.restored_at.is_(None),
        )
        .order_by(Pruning.number.desc())
        .limit(1)
    )
    return PruningRow(**row._mapping) if row else None


async def set_restored(tx: Transaction, pruning_id: UUID) -> None:
    """Note that a pruning was undone."""
    await tx.run(
        update(Pruning)
        .where(Pruning.owner == tx.owner, Pruning.id == pruning_id)
        .values(restored_at=func.clock_timestamp())
    )
