"""Memories: one remembered record each, kept with its embeddings and its links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import bindparam, delete, func, insert, select, text, update
from sqlalchemy.dialects.postgresql import insert as upsert

from reasonloom.stores.tables import Edge, Embedding, Memory, Owner

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

INDEXED_CHARACTERS = 200_000
"""Full-text search reads this much of a content; a tsvector must stay below 1 MB."""

TEXT_CONFIG = "english"

COUNT_ONE = (
    upsert(Owner)
    .values(owner=bindparam("owner"), last_memory=1, memory_count=1)
    .on_conflict_do_update(
        index_elements=[Owner.owner],
        set_={"last_memory": Owner.last_memory + 1, "memory_count": Owner.memory_count + 1},
    )
    .returning(Owner.last_memory)
)
REINFORCE = text(
    "UPDATE memories SET access_count = access_count + 1, last_accessed = :at, "
    "strength = least(1, strength + 0.05 * (1 - strength)) "
    "WHERE owner = :owner AND id = ANY(:ids) AND deleted_at IS NULL"
)


@dataclass(frozen=True, slots=True)
class NewMemory:
    """What is to be stored; times are aware, all scores are in 0..1.

    `effect` names the write itself: the same effect twice stores one memory.
    """

    effect: UUID
    content: str
    sector: str
    event_type: str
    source_kind: str
    principal: str
    tool: str
    salience: float
    importance: float
    decay_rate: float
    token_count: int
    created_at: datetime
    session_id: UUID | None = None
    project: str | None = None
    confidence: float = 1.0
    keywords: Sequence[str] = ()
    tags: Sequence[str] = ()
    category: str | None = None
    context: str | None = None
    run_id: UUID | None = None
    vectors: Mapping[str, Sequence[float]] = field(default_factory=dict)
    model: str | None = None


async def store(tx: Transaction, memory: NewMemory) -> int:
    """Store a memory with its vectors; return its id, the old one where it was stored before."""
    known = await tx.first(
        select(Memory.id).where(Memory.owner == tx.owner, Memory.effect == memory.effect)
    )
    if known:
        return int(known.id)
    row = await tx.first(COUNT_ONE, {"owner": tx.owner})
    assert row is not None  # noqa: S101 - RETURNING always gives the row
    memory_id = int(row.last_memory)
    await tx.run(insert(Memory).values(**_columns(tx, memory_id, memory)))
    if memory.vectors:
        await tx.run(
            insert(Embedding),
            [
                {
                    "owner": tx.owner,
                    "memory_id": memory_id,
                    "sector": sector,
                    "model": memory.model,
                    "embedding": list(vector),
                }
                for sector, vector in memory.vectors.items()
            ],
        )
    return memory_id


def _columns(tx: Transaction, memory_id: int, memory: NewMemory) -> dict[str, Any]:
    """Return the row of a new memory, its searchable words computed by the database."""
    searchable = " ".join((memory.content[:INDEXED_CHARACTERS], *memory.keywords, *memory.tags))
    names = (
        "effect", "content", "sector", "event_type", "source_kind", "principal", "tool",
        "salience", "importance", "decay_rate", "token_count", "created_at", "session_id",
        "project", "confidence", "category", "context", "run_id",
    )  # fmt: skip
    return {
        **{name: getattr(memory, name) for name in names},
        "owner": tx.owner,
        "id": memory_id,
        "space": tx.space,
        "keywords": list(memory.keywords),
        "tags": list(memory.tags),
        "last_accessed": memory.created_at,
        "words": func.to_tsvector(text(f"'{TEXT_CONFIG}'"), searchable),
    }


async def link(
    tx: Transaction,
    source: int,
    targets: Mapping[int, float],
    *,
    kind: str,
    origin: str,
    run_id: UUID | None = None,
) -> int:
    """Link a memory to others with weights in 0..1; return how many links there are now."""
    rows = [
        {
            "owner": tx.owner,
            "source_id": source,
            "target_id": target,
            "type": kind,
            "weight": min(1.0, max(0.0, weight)),
            "origin": origin,
            "run_id": run_id,
        }
        for target, weight in targets.items()
        if target != source
    ]
    if rows:
        await tx.run(upsert(Edge).values(rows).on_conflict_do_nothing())
    return len(rows)


async def hide(tx: Transaction, memory_id: int, at: datetime) -> bool:
    """Mark a memory as deleted; False where this owner and space have none such."""
    statement = (
        update(Memory)
        .where(Memory.owner == tx.owner, Memory.id == memory_id, Memory.deleted_at.is_(None))
        .values(deleted_at=at)
    )
    return await tx.run(statement) == 1


async def erase(tx: Transaction, memory_id: int) -> bool:
    """Remove a memory with its vectors and links, hidden or not; False where there is none."""
    statement = delete(Memory).where(Memory.owner == tx.owner, Memory.id == memory_id)
    if await tx.run(statement) != 1:
        return False
    await tx.run(
        update(Owner)
        .where(Owner.owner == tx.owner)
        .values(memory_count=func.greatest(Owner.memory_count - 1, 0))
    )
    return True


async def reinforce(tx: Transaction, ids: Sequence[int], at: datetime) -> None:
    """Count an access to each memory and strengthen it a little, never above 1."""
    await tx.run(REINFORCE, {"owner": tx.owner, "ids": list(ids), "at": at})
