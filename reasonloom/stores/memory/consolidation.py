"""Old episodes that are alike, and what is written when a summary takes their place.

A memory counts as consolidated while an edge `derived_from` of our origin leads to it from a
summary that is not hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import Uuid, bindparam, text

from reasonloom.stores.memory.decay import FLOOR, WEAKENED
from reasonloom.stores.vectors import SECTOR_BIT

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

ORIGIN = "consolidation"
SEMANTIC = SECTOR_BIT["semantic"]
FACTOR = 0.5
"""What is left of an original's strength; never below the floor of decay."""

FREE = f"""NOT EXISTS (SELECT FROM edges e JOIN memories s ON s.owner = e.owner
    AND s.id = e.source_id WHERE e.owner = :owner AND e.target_id = m.id
    AND e.type = 'derived_from' AND e.origin = '{ORIGIN}' AND s.deleted_at IS NULL
    AND s.effect IS DISTINCT FROM :effect)"""  # noqa: S608 - a constant, no values
CANDIDATES = f"""
SELECT m.id, m.project, m.created_at FROM memories m
WHERE m.owner = :owner AND m.space = :space AND m.deleted_at IS NULL
    AND m.sector = 'episodic' AND m.source_kind IN ('user', 'tool')
    AND m.created_at < :before AND m.id > :after AND {FREE}
ORDER BY m.id LIMIT :most
"""  # noqa: S608 - as above
WINDOW = text(f"""
SELECT coalesce(max(id), 0) AS last, count(*) AS memories FROM ({CANDIDATES}) c
""").bindparams(bindparam("effect", None, type_=Uuid))  # noqa: S608 - our own text
PAIRS = text(f"""
WITH old AS MATERIALIZED ({CANDIDATES}), seen AS MATERIALIZED (
    SELECT old.id, old.project, v.embedding FROM old JOIN embeddings v
        ON v.owner = :owner AND v.memory_id = old.id AND v.model = :model
        AND v.sectors & {SEMANTIC} <> 0
)
SELECT a.id AS one, b.id AS other, 1 - (a.embedding <=> b.embedding) AS cosine
FROM seen a JOIN seen b ON a.id < b.id AND a.project IS NOT DISTINCT FROM b.project
WHERE 1 - (a.embedding <=> b.embedding) >= :alike
ORDER BY cosine DESC, one, other LIMIT :pairs
""").bindparams(bindparam("effect", None, type_=Uuid))  # noqa: S608 - our own text
EPISODES = f"""
SELECT m.id, m.content, m.created_at, m.project, m.session_id, m.importance, m.salience,
    m.confidence, m.tags
FROM memories m WHERE m.owner = :owner AND m.id = ANY(:ids) AND m.deleted_at IS NULL AND {FREE}
ORDER BY m.id
"""  # noqa: S608 - as above
READ = text(EPISODES).bindparams(bindparam("effect", type_=Uuid))
HOLD_OWNER = text("SELECT owner FROM owners WHERE owner = :owner FOR UPDATE")
HOLD = text(f"{EPISODES} FOR NO KEY UPDATE OF m").bindparams(bindparam("effect", type_=Uuid))
DERIVE = text(f"""
WITH made AS (
    INSERT INTO edges (owner, source_id, target_id, type, weight, origin, run_id)
    SELECT :owner, :summary, id, 'derived_from', 1, '{ORIGIN}', :run_id
    FROM unnest(CAST(:ids AS bigint[])) AS target (id)
    ON CONFLICT DO NOTHING RETURNING target_id
)
UPDATE memories SET decayed_at = :at, strength = CASE WHEN strength <= {FLOOR} THEN strength
    ELSE greatest({FLOOR}, {FACTOR} * ({WEAKENED})) END
FROM made WHERE owner = :owner AND id = target_id
""").bindparams(bindparam("run_id", type_=Uuid))  # noqa: S608 - our own formula, no values
"""Marks originals and weakens those that were not marked: done again it changes nothing."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories of one project that are alike."""

    one: int
    other: int
    cosine: float


@dataclass(frozen=True, slots=True)
class Episode:
    """An old memory that a summary is to be made of."""

    id: int
    content: str
    created_at: datetime
    project: str | None
    session_id: UUID | None
    importance: float
    salience: float
    confidence: float
    tags: list[str]


@dataclass(frozen=True, slots=True)
class Old:
    """The part of the old episodes that one look takes in: behind `after`, up to `last`."""

    last: int
    memories: int


async def window(tx: Transaction, *, before: datetime, after: int, most: int) -> Old:
    """Return how many old episodes come next by number, and where they end."""
    values = {"owner": tx.owner, "space": tx.space, "before": before}
    row = await tx.first(WINDOW, {**values, "after": after, "most": most})
    assert row is not None  # noqa: S101 - a count always is
    return Old(row.last, row.memories)


async def pairs(
    tx: Transaction,
    model: str,
    *,
    before: datetime,
    after: int,
    most: int,
    alike: float,
    most_pairs: int,
) -> list[Pair]:
    """Return which of the next `most` old episodes are alike, the most alike first.

    `alike` is the least cosine of their semantic views.
    """
    values = {"owner": tx.owner, "space": tx.space, "model": model, "before": before}
    more = {"after": after, "most": most, "alike": alike, "pairs": most_pairs}
    return [Pair(row.one, row.other, row.cosine) for row in await tx.all(PAIRS, {**values, **more})]


async def read(tx: Transaction, ids: Sequence[int], effect: UUID | None = None) -> list[Episode]:
    """Return those of the episodes that are there and in no other summary than `effect`'s."""
    rows = await tx.all(READ, {"owner": tx.owner, "ids": list(ids), "effect": effect})
    return [Episode(**row._mapping) for row in rows]


async def hold(tx: Transaction, ids: Sequence[int], effect: UUID) -> list[Episode]:
    """Return those that are there and in no other summary than `effect`'s, held as they are.

    The owner's row comes first, as wherever memories are stored or removed.
    """
    await tx.all(HOLD_OWNER, {"owner": tx.owner})
    rows = await tx.all(HOLD, {"owner": tx.owner, "ids": list(ids), "effect": effect})
    return [Episode(**row._mapping) for row in rows]


async def derive(
    tx: Transaction, summary: int, ids: Sequence[int], *, at: datetime, run_id: UUID
) -> int:
    """Link a summary to its originals and halve their strength; return how many are newly so."""
    values = {"owner": tx.owner, "summary": summary, "ids": list(ids), "at": at}
    return await tx.run(DERIVE, {**values, "run_id": run_id})
