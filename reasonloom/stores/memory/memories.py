"""Memories: one remembered record each, kept with its embeddings and its links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import Uuid, bindparam, delete, func, select, text, update

from reasonloom.stores.tables import Memory, Owner
from reasonloom.stores.vectors import distinct

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


NOT_PAST = """NOT EXISTS (SELECT FROM chunks c
    WHERE c.owner = memories.owner AND c.memory_id = memories.id)"""
"""Chunks of past conversations are hidden and erased together with what stands beside them, by
`history` alone."""

COLUMNS = (
    "id", "content", "created_at", "last_accessed", "strength", "salience", "confidence",
    "access_count", "sector", "keywords", "tags", "category", "context", "importance",
    "source_kind", "principal", "tool", "trust", "session_id", "run_id",
)  # fmt: skip
READ_MANY = text(f"""
SELECT {", ".join(COLUMNS)} FROM memories
WHERE owner = :owner AND space = :space AND id = ANY(:ids) AND deleted_at IS NULL
""")  # noqa: S608 - names of columns, no values
HOLD_OWNER = text("SELECT owner FROM owners WHERE owner = :owner FOR UPDATE")
HOLD_MANY = text(f"""
SELECT id FROM memories WHERE owner = :owner AND space = :space AND id = ANY(:ids)
    AND (:hidden OR deleted_at IS NULL) AND {NOT_PAST} ORDER BY id FOR UPDATE
""")  # noqa: S608 - our own condition, no values
HIDE_MANY = text("""
UPDATE memories SET deleted_at = :at WHERE owner = :owner AND id = ANY(:ids)
    AND deleted_at IS NULL
""")
RESTORE_HIDDEN = text(f"""
UPDATE memories SET deleted_at = NULL
WHERE owner = :owner AND space = :space AND deleted_at = :at AND {NOT_PAST}
""")  # noqa: S608 - as above
ERASE_MANY = text("DELETE FROM memories WHERE owner = :owner AND id = ANY(:ids)")
COUNT = text("""
UPDATE owners SET memory_count = greatest(memory_count - :gone, 0) WHERE owner = :owner
""")


@dataclass(frozen=True, slots=True)
class KnownMemory:
    """A memory with its provenance; scores are in 0..1, times aware."""

    id: int
    content: str
    created_at: datetime
    last_accessed: datetime
    strength: float
    salience: float
    confidence: float
    access_count: int
    sector: str
    keywords: list[str]
    tags: list[str]
    category: str | None
    context: str | None
    importance: float
    source_kind: str
    principal: str
    tool: str
    trust: float
    session_id: UUID | None
    run_id: UUID | None


async def read_many(tx: Transaction, ids: Sequence[int]) -> dict[int, KnownMemory]:
    """Return those of the memories that this owner and space have and that are not hidden."""
    rows = await tx.all(READ_MANY, {"owner": tx.owner, "space": tx.space, "ids": list(ids)})
    return {row.id: KnownMemory(**row._mapping) for row in rows}


async def hold_many(tx: Transaction, ids: Sequence[int], *, hidden: bool = False) -> list[int]:
    """Return those of the memories that are there, with hidden ones or without, held.

    The owner's row comes first, as wherever memories are stored or removed.
    """
    await tx.all(HOLD_OWNER, {"owner": tx.owner})
    here = {"owner": tx.owner, "space": tx.space}
    return [row.id for row in await tx.all(HOLD_MANY, {**here, "ids": list(ids), "hidden": hidden})]


async def hide_many(tx: Transaction, ids: Sequence[int], at: datetime) -> int:
    """Mark held memories as deleted; return how many were not so already."""
    return await tx.run(HIDE_MANY, {"owner": tx.owner, "ids": list(ids), "at": at})


async def restore_hidden_at(tx: Transaction, at: datetime) -> int:
    """Bring back what was hidden together at this very moment; return how many."""
    return await tx.run(RESTORE_HIDDEN, {"owner": tx.owner, "space": tx.space, "at": at})


async def erase_many(tx: Transaction, ids: Sequence[int]) -> int:
    """Remove held memories with their vectors and links; return how many."""
    gone = await tx.run(ERASE_MANY, {"owner": tx.owner, "ids": list(ids)})
    await tx.run(COUNT, {"owner": tx.owner, "gone": gone})
    return gone


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
