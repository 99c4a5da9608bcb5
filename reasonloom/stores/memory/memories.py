"""Memories: one remembered record each, kept with its embeddings and its links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import Uuid, bindparam, delete, func, select, text, update

from reasonloom.stores.memory.by_id import NOT_PAST
from reasonloom.stores.tables import Memory, Owner
from reasonloom.stores.vectors import distinct

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

TEXT_CONFIG = "english"

NAMED = (
    "effect", "content", "sector", "event_type", "source_kind", "principal", "tool", "salience",
    "importance", "decay_rate", "token_count", "created_at", "session_id", "project",
    "confidence", "category", "context", "run_id",
)  # fmt: skip
STORE = text(f"""
WITH known AS (
    SELECT id FROM memories WHERE owner = :owner AND effect = :effect
), counted AS (
    INSERT INTO owners (owner, last_memory, memory_count)
    SELECT :owner, 1, 1 WHERE NOT EXISTS (SELECT FROM known)
    ON CONFLICT (owner) DO UPDATE SET last_memory = owners.last_memory + 1,
        memory_count = owners.memory_count + 1
    RETURNING last_memory
), made AS (
    INSERT INTO memories (owner, id, space, keywords, tags, dates, last_accessed,
        {", ".join(NAMED)})
    SELECT :owner, last_memory, :space, CAST(:keywords AS text[]), CAST(:tags AS text[]),
        CAST(:dates AS text[]), :created_at, {", ".join(":" + n for n in NAMED)}
    FROM counted RETURNING id
), embedded AS (
    INSERT INTO embeddings (owner, memory_id, model, sectors, embedding)
    SELECT :owner, made.id, :model, sectors, CAST(vector AS halfvec) FROM made, unnest(
        CAST(:sectors AS smallint[]), CAST(:vectors AS text[])) AS v (sectors, vector)
)
SELECT id FROM known UNION ALL SELECT id FROM made
""").bindparams(*(bindparam(name, type_=Uuid) for name in ("effect", "session_id", "run_id")))  # noqa: S608
"""Stores a memory and its vectors under the owner's next number, in one statement, unless
its effect has been stored before."""

LINK = text("""
INSERT INTO edges (owner, source_id, target_id, type, weight, origin, run_id)
SELECT :owner, :source, m.id, :kind, least(1, greatest(0, weight)), :origin, :run_id
FROM unnest(CAST(:targets AS bigint[]), CAST(:weights AS float8[])) AS wanted (id, weight)
JOIN memories m ON m.owner = :owner AND m.id = wanted.id
WHERE m.deleted_at IS NULL AND m.id <> :source
ON CONFLICT DO NOTHING
""").bindparams(bindparam("run_id", type_=Uuid))


@dataclass(frozen=True, slots=True)
class NewMemory:
    """What is to be stored; times are aware, all scores are in 0..1.

    `effect` names the write itself: the same effect twice stores one memory. `dates` are the
    terms that a question with a date asks for.
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
    dates: Sequence[str] = ()
    category: str | None = None
    context: str | None = None
    run_id: UUID | None = None
    vectors: Mapping[str, Sequence[float]] = field(default_factory=dict)
    model: str | None = None


async def store(tx: Transaction, memory: NewMemory) -> int:
    """Store a memory with its vectors; return its id, the old one where it was stored before."""
    sectors, vectors = distinct(memory.vectors)
    values = {
        **{name: getattr(memory, name) for name in NAMED},
        "owner": tx.owner,
        "space": tx.space,
        "keywords": list(memory.keywords),
        "tags": list(memory.tags),
        "dates": list(memory.dates),
        "model": memory.model,
        "sectors": sectors,
        "vectors": vectors,
    }
    row = await tx.first(STORE, values)
    assert row is not None  # noqa: S101 - it was there or has been made
    return int(row.id)


async def link(
    tx: Transaction,
    source: int,
    targets: Mapping[int, float],
    *,
    kind: str,
    origin: str,
    run_id: UUID | None = None,
) -> int:
    """Link a memory to others that are there, with weights in 0..1; return how many are new."""
    if not targets:
        return 0
    return await tx.run(
        LINK,
        {
            "owner": tx.owner,
            "source": source,
            "targets": list(targets),
            "weights": list(targets.values()),
            "kind": kind,
            "origin": origin,
            "run_id": run_id,
        },
    )


async def hide(tx: Transaction, memory_id: int, at: datetime) -> bool:
    """Mark a memory as deleted; False where this owner and space have none such."""
    statement = (
        update(Memory)
        .where(Memory.owner == tx.owner, Memory.id == memory_id, Memory.deleted_at.is_(None))
        .where(text(NOT_PAST))
        .values(deleted_at=at)
    )
    return await tx.run(statement) == 1


async def restore(tx: Transaction, memory_id: int) -> bool:
    """Bring a hidden memory back; False where this owner and space have none such."""
    statement = (
        update(Memory)
        .where(Memory.owner == tx.owner, Memory.id == memory_id, Memory.deleted_at.is_not(None))
        .where(text(NOT_PAST))
        .values(deleted_at=None)
    )
    return await tx.run(statement) == 1


async def erase(tx: Transaction, memory_id: int) -> bool:
    """Remove a memory with its vectors and links, hidden or not; False where there is none.

    The owner's row is held first, as where a memory is stored: two memories that are linked
    both ways could else be removed at once, each call waiting for the other's link.
    """
    await tx.run(select(Owner.owner).where(Owner.owner == tx.owner).with_for_update())
    here = Memory.owner == tx.owner, Memory.id == memory_id, text(NOT_PAST)
    statement = delete(Memory).where(*here)
    if await tx.run(statement) != 1:
        return False
    await tx.run(
        update(Owner)
        .where(Owner.owner == tx.owner)
        .values(memory_count=func.greatest(Owner.memory_count - 1, 0))
    )
    return True
