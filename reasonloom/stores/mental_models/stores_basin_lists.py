"""Basins as pages show them: how many memories each holds, and which models are made of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, bindparam, text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

MOST_NAMES = 300
SHOWN = """b.id, b.name, b.named_by, b.keywords, b.coherence, b.formed_at, b.updated_at"""
MODELS = """(SELECT count(*) FROM model_basins u WHERE u.owner = b.owner AND u.basin = b.id)"""
SIZE = """(SELECT count(*) FROM basin_members k JOIN memories m ON m.owner = k.owner
    AND m.id = k.memory_id AND m.deleted_at IS NULL WHERE k.owner = b.owner AND k.basin = b.id)"""
PAGE = text(f"""
WITH sized AS (
    SELECT k.basin, count(*) AS members FROM basin_members k
    JOIN memories m ON m.owner = k.owner AND m.id = k.memory_id AND m.deleted_at IS NULL
    WHERE k.owner = :owner GROUP BY k.basin)
SELECT {SHOWN}, coalesce(s.members, 0) AS members, {MODELS}
FROM basins b LEFT JOIN sized s ON s.basin = b.id
WHERE b.owner = :owner AND (NOT :apart OR {MODELS} = 0)
ORDER BY members DESC, b.name, b.id LIMIT :size OFFSET :skip
""")  # noqa: S608 - names of columns, no values
SOME = text(f"""
SELECT {SHOWN}, {SIZE} AS members, {MODELS} FROM basins b
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


async def some(tx: Transaction, ids: Sequence[UUID]) -> list[ListedBasin]:
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
