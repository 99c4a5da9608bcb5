"""What mental models read of basins: which there are, how near a text is, what is in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import ARRAY, Uuid, bindparam, text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


IDS = bindparam("ids", type_=ARRAY(Uuid))
KNOWN = text(
    "SELECT id FROM basins WHERE owner = :owner AND id = ANY(:ids) FOR KEY SHARE"
).bindparams(IDS)
NAMES = text("SELECT id, name FROM basins WHERE owner = :owner AND id = ANY(:ids)").bindparams(IDS)
SIZES = """
SELECT b.id, b.name, b.keywords, b.coherence, b.formed_at, b.updated_at,
    (SELECT count(*) FROM basin_members m JOIN memories k
        ON k.owner = m.owner AND k.id = m.memory_id AND k.deleted_at IS NULL
        WHERE m.owner = b.owner AND m.basin = b.id) AS members,
    (SELECT count(*) FROM model_basins u WHERE u.owner = b.owner AND u.basin = b.id) AS models,
    count(*) OVER () AS total
FROM basins b WHERE b.owner = :owner
"""
LARGEST = text(f"{SIZES} ORDER BY members DESC, b.name, b.id LIMIT :most")
NEAR = text("""
SELECT id, 1 - (centroid <=> :vector) AS cosine FROM basins
WHERE owner = :owner AND id = ANY(:ids) AND model = :model ORDER BY centroid <=> :vector LIMIT 1
""").bindparams(IDS, bindparam("vector", type_=HALFVEC()))
MEMBERS = text("""
SELECT m.basin, m.memory_id, m.strength, m.content
FROM unnest(:ids) wanted (basin) CROSS JOIN LATERAL (
    SELECT m.basin, m.memory_id, m.strength, k.content FROM basin_members m
    CROSS JOIN LATERAL (
        SELECT left(content, :most_text) AS content FROM memories
        WHERE owner = :owner AND id = m.memory_id AND deleted_at IS NULL LIMIT 1) k
    WHERE m.owner = :owner AND m.basin = wanted.basin
    ORDER BY m.strength DESC, m.memory_id LIMIT :most) m
ORDER BY m.basin, m.strength DESC, m.memory_id
""").bindparams(IDS)
"""What is joined sideways is looked up by its number, whatever is known of how many there are."""


@dataclass(frozen=True, slots=True)
class Home:
    """The basin that a text is nearest to, by the cosine with its centroid."""

    basin: UUID
    cosine: float


@dataclass(frozen=True, slots=True)
class Sized:
    """A basin and how much is in it; `models` counts those made of it, `total` all basins."""

    id: UUID
    name: str
    keywords: list[str]
    coherence: float
    formed_at: datetime
    updated_at: datetime
    members: int
    models: int
    total: int


@dataclass(frozen=True, slots=True)
class Member:
    """A memory of a basin: its number, how strongly it belongs there, how its content begins."""

    memory_id: int
    strength: float
    excerpt: str


async def known(tx: Transaction, ids: Sequence[UUID]) -> set[UUID]:
    """Return those of `ids` that are basins; they stay until the transaction ends."""
    if not ids:
        return set()
    return {row.id for row in await tx.all(KNOWN, {"owner": tx.owner, "ids": list(ids)})}


async def names(tx: Transaction, ids: Sequence[UUID]) -> dict[UUID, str]:
    """Return the names of basins, in the order of `ids`, as far as they are there."""
    if not ids:
        return {}
    rows = await tx.all(NAMES, {"owner": tx.owner, "ids": list(ids)})
    found = {row.id: row.name for row in rows}
    return {each: found[each] for each in ids if each in found}


async def largest(tx: Transaction, most: int) -> Sequence[Sized]:
    """Return the basins with the most memories."""
    rows = await tx.tuples(LARGEST, {"owner": tx.owner, "most": most})
    return [Sized(*row) for row in rows]


async def nearest(
    tx: Transaction, vector: Sequence[float], model: str, ids: Sequence[UUID]
) -> Home | None:
    """Return which of some basins a vector of `model` is nearest to, None where none has one."""
    if not ids:
        return None
    values = {"owner": tx.owner, "ids": list(ids), "vector": vector, "model": model}
    row = await tx.first(NEAR, values)
    return Home(row.id, float(row.cosine)) if row else None


async def members(
    tx: Transaction, ids: Sequence[UUID], *, most: int, most_text: int
) -> Mapping[UUID, list[Member]]:
    """Return for each basin its strongest memories that are not hidden."""
    found: dict[UUID, list[Member]] = {each: [] for each in ids}
    values = {"owner": tx.owner, "ids": list(ids), "most": most, "most_text": most_text}
    for row in await tx.all(MEMBERS, values) if ids else ():
        found[row.basin].append(Member(row.memory_id, row.strength, row.content))
    return found


DENSE = text(f"""
SELECT * FROM ({SIZES}) sized WHERE members >= :least AND models = 0 AND coherence >= :coherence
ORDER BY members * coherence DESC, name, id LIMIT :most
""")  # noqa: S608 - our own query, no values
RECORDS = text("""
SELECT p.model, p.basin, count(*) AS resolved, count(*) FILTER (WHERE p.correct) AS correct,
    (array_agg(p.id ORDER BY p.resolved_at DESC) FILTER (WHERE NOT p.correct))[
        1:CAST(:most AS integer)] AS wrong
FROM predictions p JOIN models m ON m.owner = p.owner AND m.id = p.model AND m.status = 'active'
WHERE p.owner = :owner AND p.correct IS NOT NULL
GROUP BY p.model, p.basin ORDER BY p.model, p.basin
""")


@dataclass(frozen=True, slots=True)
class FailingRecord:
    """Resolved predictions of an active model near one basin; the newest `wrong` ones."""

    model: UUID
    basin: UUID | None
    resolved: int
    correct: int
    wrong: list[UUID] | None


async def dense_basins(
    tx: Transaction, *, least: int, coherence: float, most: int
) -> Sequence[Sized]:
    """Return basins that no model is made of, those with the most memories alike first."""
    values = {"owner": tx.owner, "least": least, "coherence": coherence, "most": most}
    return [Sized(*row) for row in await tx.tuples(DENSE, values)]


async def failing_predictions(tx: Transaction, *, most: int) -> list[FailingRecord]:
    """Return what came of the predictions of active models, by basin."""
    rows = await tx.tuples(RECORDS, {"owner": tx.owner, "most": most})
    return [FailingRecord(*row) for row in rows]
