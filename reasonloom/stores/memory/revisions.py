"""Revisions: a stored memory is locked, then rewritten, and its vectors and links are replaced.

Locks are taken in a fixed order, so that no two transactions wait for each other: the memory, the
memories it is or will be linked to, the counts of its words, its links. If the memory is being
deleted, that is waited for before anything is written.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from reasonloom.stores.database import Transaction
from reasonloom.stores.memory.memories import store_vectors
from reasonloom.stores.memory.memory_links import ORIGINS
from reasonloom.stores.statements import columns, load


@dataclass(frozen=True, slots=True)
class HeldMemory:
    """A locked memory; `session` is the external name of its session."""

    content: str
    strength: float
    salience: float
    importance: float
    keywords: list[str]
    tags: list[str]
    category: str | None
    context: str | None
    other_metadata: dict[str, Any]
    created_at: datetime
    session: str | None


SQL = load(__file__, held=columns(HeldMemory, "m", without=("session",)))
CHANGING = {*HeldMemory.__slots__, "token_count", "dates", "valid_from"} - {"session"}


async def hold(tx: Transaction, memory_id: int) -> HeldMemory | None:
    """Return a memory, locked until the transaction ends; None if there is none."""
    return await tx.row(HeldMemory, SQL.hold, {"id": memory_id})


async def rewrite(tx: Transaction, memory_id: int, changes: Mapping[str, Any]) -> None:
    """Set columns of a locked memory, out of CHANGING; a trigger reindexes its words."""
    if changes:
        assignments = ", ".join(f"{name} = :{name}" for name in sorted(CHANGING & changes.keys()))
        statement = SQL.fill("rewrite", assignments=assignments)
        await tx.run(statement, {"id": memory_id, **changes})


async def replace_vectors(
    tx: Transaction, memory_id: int, vectors: Mapping[str, Sequence[float]], model: str
) -> None:
    """Replace all vectors of a locked memory with `vectors` of `model`."""
    await tx.run(SQL.drop_vectors, {"id": memory_id})
    await store_vectors(tx, {memory_id: vectors}, model)


async def hold_partners(tx: Transaction, memory_id: int, others: Iterable[int]) -> None:
    """Lock `others` and the memories that a locked one links to against removal."""
    values = {"id": memory_id, "ids": list(others), "origins": list(ORIGINS)}
    await tx.all(SQL.hold_partners, values)


async def drop_waypoints(tx: Transaction, memory_id: int) -> None:
    """Remove the waypoints from a locked memory; the memories they lead to must be locked."""
    await tx.run(SQL.drop_waypoints, {"id": memory_id, "origins": list(ORIGINS)})
