"""What is counted of basins when it is asked: how they stand now, and what is between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, bindparam, text

from reasonloom.stores.mental_models.basin_memories import KINDS, PRESENT

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

IDS = bindparam("ids", type_=ARRAY(Uuid))
PART = """k.strength * m.strength * power(CAST(0.5 AS float8), least(1000, greatest(0,
        extract(epoch FROM CAST(:at AS timestamptz) - m.last_accessed)::float8)
        / 86400 / CAST(:half_life AS float8)))"""
"""What a member brings; the power is bounded, for a float cannot be smaller than 2^-1074."""

STANDING = text(f"""
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
STRONGEST = 10
"""Members whose standing makes that of their basin."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How many members of a basin count, and how strongly it stands, 0..1."""

    members: int
    activation: float


@dataclass(frozen=True, slots=True)
class Links:
    """The edges of one type that lead from a basin's members to another's; `weight` is the sum
    of their weights, each by the weaker of the two memberships."""

    source: UUID
    target: UUID
    type: str
    count: int
    weight: float


@dataclass(frozen=True, slots=True)
class Order:
    """In how many sessions the first memory of one basin came before the first of another."""

    source: UUID
    target: UUID
    count: int


async def standing(tx: Transaction, at: datetime, half_life: float) -> dict[UUID, Standing]:
    """Return how each basin that has members stands at a moment; `half_life` is in days."""
    values = {
        "owner": tx.owner, "space": tx.space, "kinds": list(KINDS), "at": at,
        "half_life": half_life, "most": STRONGEST,
    }  # fmt: skip
    rows = await tx.all(STANDING, values)
    return {row.basin: Standing(row.members, min(1.0, float(row.activation))) for row in rows}


async def between(
    tx: Transaction, ids: Sequence[UUID] | None = None
) -> tuple[list[Links], list[Order]]:
    """Return the edges and the order of time between basins, of all or of `ids`."""
    values = {
        "owner": tx.owner, "space": tx.space, "kinds": list(KINDS), "ids": list(ids or []),
        "everything": ids is None,
    }  # fmt: skip
    links = [Links(**row._mapping) for row in await tx.all(BETWEEN, values)]
    return links, [Order(**row._mapping) for row in await tx.all(SESSIONS, values)]
