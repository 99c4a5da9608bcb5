"""Revisions: a stored memory is held, then rewritten, and its vectors and links replaced.

Locks are taken in one order: the memory itself, then the memories it is or will be linked
to, then the counts of its words, then its links. So a memory that is being deleted is waited
for before anything is written, and no two calls wait for each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, text, update

from reasonloom.stores.memory.memories import NOT_PAST
from reasonloom.stores.memory.memory_links import ORIGINS
from reasonloom.stores.tables import Edge, Embedding, Memory
from reasonloom.stores.vectors import distinct

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


@dataclass(frozen=True, slots=True)
class HeldMemory:
    """A memory as it is while nobody else can change it; `session` is its outside name."""

    content: str
    strength: float
    salience: float
    importance: float
    keywords: list[str]
    tags: list[str]
    category: str | None
    context: str | None
    created_at: datetime
    session: str | None


STAYS = ", ".join(f"m.{name}" for name in HeldMemory.__slots__ if name != "session")
HOLD = text(f"""
SELECT {STAYS}, s.external_name AS session
FROM memories m LEFT JOIN sessions s ON s.owner = m.owner AND s.id = m.session_id
WHERE m.owner = :owner AND m.id = :id AND m.deleted_at IS NULL
    AND {NOT_PAST.replace("memories.", "m.")}
FOR NO KEY UPDATE OF m
""")  # noqa: S608 - names of columns, no values
EMBED = text("""
INSERT INTO embeddings (owner, memory_id, model, sectors, embedding)
SELECT :owner, :id, :model, sectors, CAST(vector AS halfvec)
FROM unnest(CAST(:sectors AS smallint[]), CAST(:vectors AS text[])) AS v (sectors, vector)
""")
HOLD_PARTNERS = text("""
SELECT id FROM memories WHERE owner = :owner AND (id = ANY(:ids) OR id IN (
    SELECT target_id FROM edges
    WHERE owner = :owner AND source_id = :id AND origin = ANY(:origins)))
ORDER BY id FOR KEY SHARE
""")


async def hold(tx: Transaction, memory_id: int) -> HeldMemory | None:
    """Return a memory that stays as it is until this transaction ends; None if not there."""
    row = await tx.first(HOLD, {"owner": tx.owner, "id": memory_id})
    return HeldMemory(**row._mapping) if row else None


async def rewrite(tx: Transaction, memory_id: int, changes: Mapping[str, Any]) -> None:
    """Give columns of a held memory new values; Postgres indexes the words where they change."""
    if changes:
        await tx.run(
            update(Memory).where(Memory.owner == tx.owner, Memory.id == memory_id).values(**changes)
        )


async def replace_vectors(
    tx: Transaction, memory_id: int, vectors: Mapping[str, Sequence[float]], model: str
) -> None:
    """Put `vectors` of `model` in the place of all vectors of a held memory."""
    await tx.run(
        delete(Embedding).where(Embedding.owner == tx.owner, Embedding.memory_id == memory_id)
    )
    sectors, texts = distinct(vectors)
    values = {"owner": tx.owner, "id": memory_id, "model": model}
    await tx.run(EMBED, {**values, "sectors": sectors, "vectors": texts})


async def hold_partners(tx: Transaction, memory_id: int, others: Iterable[int]) -> None:
    """Keep the memories that a held one is linked to, and `others`, from being removed."""
    values = {"owner": tx.owner, "id": memory_id, "ids": list(others), "origins": list(ORIGINS)}
    await tx.all(HOLD_PARTNERS, values)


async def drop_waypoints(tx: Transaction, memory_id: int) -> None:
    """Remove the waypoints that start at a held memory whose partners are held."""
    await tx.run(
        delete(Edge).where(
            Edge.owner == tx.owner, Edge.source_id == memory_id, Edge.origin.in_(ORIGINS)
        )
    )
