"""What is counted of basins when it is asked: how they stand now, and what is between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, bindparam, text

from reasonloom.stores.mental_models.basin_memories import KINDS, PRESENT

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


MOST_NAMES = 300
BASIN_COLUMNS = """b.id, b.name, b.named_by, b.keywords, b.coherence, b.formed_at, b.updated_at"""
MODELS = """(SELECT count(*) FROM model_basins u WHERE u.owner = b.owner AND u.basin = b.id)"""
SIZE = """(SELECT count(*) FROM basin_members k JOIN memories m ON m.owner = k.owner
    AND m.id = k.memory_id AND m.deleted_at IS NULL WHERE k.owner = b.owner AND k.basin = b.id)"""
PAGE = text(f"""
WITH sized AS (
    SELECT k.basin, count(*) AS members FROM basin_members k
    JOIN memories m ON m.owner = k.owner AND m.id = k.memory_id AND m.deleted_at IS NULL
    WHERE k.owner = :owner GROUP BY k.basin)
SELECT {BASIN_COLUMNS}, coalesce(s.members, 0) AS members, {MODELS}
FROM basins b LEFT JOIN sized s ON s.basin = b.id
WHERE b.owner = :owner AND (NOT :apart OR {MODELS} = 0)
ORDER BY members DESC, b.name, b.id LIMIT :size OFFSET :skip
""")  # noqa: S608 - names of columns, no values
SOME = text(f"""
SELECT {BASIN_COLUMNS}, {SIZE} AS members, {MODELS} FROM basins b
WHERE b.owner = :owner AND b.id = ANY(:ids) ORDER BY members DESC, b.name, b.id
""").bindparams(bindparam("ids", type_=ARRAY(Uuid)))  # noqa: S608 - as above
COUNT = text(f"""
SELECT count(*) FROM basins b WHERE b.owner = :owner AND (NOT :apart OR {MODELS} = 0)
""")  # noqa: S608 - as above
NAMES = text(f"SELECT id, name FROM basins WHERE owner = :owner ORDER BY name LIMIT {MOST_NAMES}")  # noqa: S608

STRONGEST = text("""
SELECT wanted.basin, k.memory_id, k.strength, m.content
FROM unnest(:ids) wanted (basin) CROSS JOIN LATERAL (
    SELECT memory_id, strength FROM basin_members WHERE owner = :owner AND basin = wanted.basin
    ORDER BY strength DESC, memory_id LIMIT 4 * :most) k
CROSS JOIN LATERAL (
    SELECT left(content, :longest) AS content FROM memories
    WHERE owner = :owner AND id = k.memory_id AND deleted_at IS NULL LIMIT 1) m
ORDER BY wanted.basin, k.strength DESC, k.memory_id
""").bindparams(bindparam("ids", type_=ARRAY(Uuid)))
"""What is joined sideways is looked up by its number, whatever is known of how many there are."""


class ListedBasin(NamedTuple):
    """A basin; `members` are memories that are not hidden, `models` those made of it."""

    id: UUID
    name: str
    named_by: str
    keywords: list[str]
    coherence: float
    formed_at: datetime
    updated_at: datetime
    members: int
    models: int


class Strongest(NamedTuple):
    """A memory of a basin: how strongly it belongs there, 0..1, and how it begins."""

    memory_id: int
    strength: float
    excerpt: str


async def page(tx: Transaction, size: int, skip: int, *, apart: bool) -> list[ListedBasin]:
    """Return basins, the largest first; with `apart` those that no model is made of."""
    values = {"owner": tx.owner, "size": size, "skip": skip, "apart": apart}
    return [ListedBasin(*row) for row in await tx.tuples(PAGE, values)]


async def count(tx: Transaction, *, apart: bool) -> int:
    """Return how many there are in all."""
    row = await tx.first(COUNT, {"owner": tx.owner, "apart": apart})
    return int(row[0]) if row else 0


async def by_ids(tx: Transaction, ids: Sequence[UUID]) -> list[ListedBasin]:
    """Return those of `ids` that are there, the largest first."""
    rows = await tx.tuples(SOME, {"owner": tx.owner, "ids": list(ids)}) if ids else []
    return [ListedBasin(*row) for row in rows]


async def names(tx: Transaction) -> dict[UUID, str]:
    """Return the names of basins, some hundreds at most."""
    return {row[0]: row[1] for row in await tx.tuples(NAMES, {"owner": tx.owner})}


async def strongest(
    tx: Transaction, ids: Sequence[UUID], *, most: int, longest: int
) -> dict[UUID, list[Strongest]]:
    """Return the strongest memories of basins; of the first few, those that are not hidden."""
    found: dict[UUID, list[Strongest]] = {}
    values = {"owner": tx.owner, "ids": list(ids), "most": most, "longest": longest}
    for basin, *member in await tx.tuples(STRONGEST, values) if ids else ():
        found.setdefault(basin, []).append(Strongest(*member))
    return {basin: members[:most] for basin, members in found.items()}


IDS = bindparam("ids", type_=ARRAY(Uuid))
PART = """k.strength * m.strength * power(CAST(0.5 AS float8), least(1000, greatest(0,
        extract(epoch FROM CAST(:at AS timestamptz) - m.last_accessed)::float8)
        / 86400 / CAST(:half_life AS float8)))"""
"""What a member brings; the power is bounded, for a float cannot be smaller than 2^-1074."""

ACTIVITY = text(f"""
SELECT basin, count(*) AS members, avg(part) FILTER (WHERE place <= :most) AS activation
FROM (
    SELECT k.basin, {PART} AS part,
        row_number() OVER (PARTITION BY k.basin ORDER BY {PART} DESC, k.memory_id) AS place
    FROM basin_members k JOIN memories m ON m.owner = k.owner AND m.id = k.memory_id
    WHERE k.owner = :owner AND {PRESENT}) counted
GROUP BY basin
""")  # noqa: S608 - our own condition, no values
BETWEEN = text(f"""
WITH inside AS MATERIALIZED (
    SELECT k.basin, k.memory_id, k.strength FROM basin_members k
    JOIN memories m ON m.owner = k.owner AND m.id = k.memory_id
    WHERE k.owner = :owner AND {PRESENT} AND (:everything OR k.basin = ANY(:ids))
)
SELECT a.basin AS source, b.basin AS target, e.type, count(*) AS count,
    sum(e.weight * least(a.strength, b.strength)) AS weight
FROM inside a JOIN edges e ON e.owner = :owner AND e.source_id = a.memory_id
JOIN inside b ON b.memory_id = e.target_id
WHERE a.basin <> b.basin GROUP BY a.basin, b.basin, e.type
""").bindparams(IDS)  # noqa: S608 - our own condition, no values
SESSIONS = text(f"""
WITH met AS MATERIALIZED (
    SELECT k.basin, m.session_id, min(m.created_at) AS first FROM basin_members k
    JOIN memories m ON m.owner = k.owner AND m.id = k.memory_id
    WHERE k.owner = :owner AND {PRESENT} AND m.session_id IS NOT NULL
        AND (:everything OR k.basin = ANY(:ids))
    GROUP BY k.basin, m.session_id
)
SELECT a.basin AS source, b.basin AS target, count(*) AS count
FROM met a JOIN met b USING (session_id) WHERE a.first < b.first GROUP BY a.basin, b.basin
""").bindparams(IDS)  # noqa: S608 - our own condition, no values
STRONGEST_LINKS = 10
"""Members whose standing makes that of their basin."""


@dataclass(frozen=True, slots=True)
class BasinActivity:
    """How many members of a basin count, and how strongly it stands, 0..1."""

    members: int
    activation: float


@dataclass(frozen=True, slots=True)
class BasinLinks:
    """The edges of one type that lead from a basin's members to another's; `weight` is the sum
    of their weights, each by the weaker of the two memberships."""

    source: UUID
    target: UUID
    type: str
    count: int
    weight: float


@dataclass(frozen=True, slots=True)
class BasinOrder:
    """In how many sessions the first memory of one basin came before the first of another."""

    source: UUID
    target: UUID
    count: int


async def activity(tx: Transaction, at: datetime, half_life: float) -> dict[UUID, BasinActivity]:
    """Return how each basin that has members stands at a moment; `half_life` is in days."""
    values = {
        "owner": tx.owner, "space": tx.space, "kinds": list(KINDS), "at": at,
        "half_life": half_life, "most": STRONGEST_LINKS,
    }  # fmt: skip
    rows = await tx.all(ACTIVITY, values)
    return {row.basin: BasinActivity(row.members, min(1.0, float(row.activation))) for row in rows}


async def relations(
    tx: Transaction, ids: Sequence[UUID] | None = None
) -> tuple[list[BasinLinks], list[BasinOrder]]:
    """Return the edges and the order of time between basins, of all or of `ids`."""
    values = {
        "owner": tx.owner, "space": tx.space, "kinds": list(KINDS), "ids": list(ids or []),
        "everything": ids is None,
    }  # fmt: skip
    links = [BasinLinks(**row._mapping) for row in await tx.all(BETWEEN, values)]
    return links, [BasinOrder(**row._mapping) for row in await tx.all(SESSIONS, values)]
