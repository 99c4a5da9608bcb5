"""What stands around one memory: its edges both ways, and what corrects what."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from sqlalchemy import Uuid, bindparam, text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


MOST_INWARD = 12
"""Links of one origin that may lead to a memory: a thirteenth takes the weakest one's place
if it is stronger, and is not made if it is not."""

WAYPOINT, NEAR_DUPLICATE = "waypoint", "near_duplicate"
ORIGINS = (WAYPOINT, NEAR_DUPLICATE)

LINK = text(f"""
WITH wanted AS MATERIALIZED (
    SELECT m.id AS target_id, least(1, greatest(0, weight)) AS weight, origin
    FROM unnest(CAST(:targets AS bigint[]), CAST(:weights AS float8[]), CAST(:origins AS text[]))
        AS asked (id, weight, origin)
    JOIN memories m ON m.owner = :owner AND m.id = asked.id
    WHERE m.deleted_at IS NULL AND m.id <> :source
), surplus AS MATERIALIZED (
    SELECT source_id, target_id, weight FROM (
        SELECT d.source_id, d.target_id, d.weight, row_number() OVER (
            PARTITION BY d.target_id ORDER BY d.weight DESC, d.source_id) AS place
        FROM edges d JOIN wanted USING (target_id)
        WHERE d.owner = :owner AND d.type = 'related_to' AND d.origin = wanted.origin) inward
    WHERE place >= {MOST_INWARD}
), made AS (
    INSERT INTO edges (owner, source_id, target_id, type, weight, origin, run_id)
    SELECT :owner, :source, target_id, 'related_to', weight, origin, :run_id FROM wanted
    WHERE NOT EXISTS (SELECT FROM surplus s
        WHERE s.target_id = wanted.target_id AND s.weight >= wanted.weight)
    ON CONFLICT DO NOTHING RETURNING target_id
), replaced AS (
    DELETE FROM edges WHERE owner = :owner AND type = 'related_to'
        AND (source_id, target_id) IN (SELECT d.source_id, d.target_id
            FROM edges d JOIN surplus USING (source_id, target_id) JOIN made USING (target_id)
            WHERE d.owner = :owner AND d.type = 'related_to' FOR UPDATE OF d SKIP LOCKED)
)
SELECT count(*) AS made FROM made
""").bindparams(bindparam("run_id", type_=Uuid))  # noqa: S608 - a constant, no values
"""Links a memory to others that are there, within the bound; what somebody else is removing
is left to them."""


async def link_waypoints(
    tx: Transaction,
    source: int,
    targets: Mapping[int, float],
    *,
    origins: Mapping[int, str],
    run_id: UUID | None = None,
) -> int:
    """Link a memory to others, with weights in 0..1; return how many links were made."""
    if not targets:
        return 0
    values = {
        "owner": tx.owner,
        "source": source,
        "targets": list(targets),
        "weights": list(targets.values()),
        "origins": [origins[target] for target in targets],
        "run_id": run_id,
    }
    row = await tx.first(LINK, values)
    return int(row.made) if row else 0


LONGEST = 160
MOST = 60
"""Edges shown of one direction, and memories of one chain of corrections."""

SIDE = """
SELECT e.type, e.weight, e.origin, e.reason, e.run_id, m.id, left(m.content, {longest}),
    m.deleted_at IS NOT NULL, count(*) OVER ()
FROM edges e JOIN memories m ON m.owner = e.owner AND m.id = e.{other} AND m.space = :space
WHERE e.owner = :owner AND e.{here} = :id ORDER BY e.weight DESC, e.{other}, e.type LIMIT {most}
"""
OUTWARD = text(SIDE.format(here="source_id", other="target_id", longest=LONGEST, most=MOST))
INWARD = text(SIDE.format(here="target_id", other="source_id", longest=LONGEST, most=MOST))
CHAIN = text(f"""
WITH RECURSIVE chain AS (
    SELECT CAST(:id AS bigint) AS id
  UNION
    SELECT beside.id FROM chain c CROSS JOIN LATERAL (
        SELECT source_id AS id FROM edges
            WHERE owner = :owner AND target_id = c.id AND type = 'supersedes'
        UNION ALL SELECT target_id FROM edges
            WHERE owner = :owner AND source_id = c.id AND type = 'supersedes') beside
), walked AS (SELECT id FROM chain LIMIT {MOST})
SELECT m.id, left(m.content, {LONGEST}), m.created_at, m.superseded_by,
    m.deleted_at IS NOT NULL,
    (SELECT string_agg(e.reason, '; ' ORDER BY e.target_id) FROM edges e WHERE e.owner = m.owner
        AND e.source_id = m.id AND e.type = 'supersedes' AND e.reason IS NOT NULL)
FROM memories m WHERE m.owner = :owner AND m.space = :space AND m.id IN (SELECT id FROM walked)
ORDER BY m.created_at, m.id
""")  # noqa: S608 - numbers of our own, no values


class Link(NamedTuple):
    """An edge and the memory at its other end; `total` counts all of this direction."""

    type: str
    weight: float
    origin: str
    reason: str | None
    run_id: UUID | None
    other: int
    content: str
    hidden: bool
    total: int


class Correction(NamedTuple):
    """A memory of a chain of corrections; `reason` is why it took the place of those before."""

    id: int
    content: str
    created_at: datetime
    superseded_by: int | None
    hidden: bool
    reason: str | None


async def outward(tx: Transaction, memory_id: int) -> list[Link]:
    """Return the heaviest edges that lead from a memory."""
    return [Link(*row) for row in await tx.tuples(OUTWARD, _here(tx, memory_id))]


async def inward(tx: Transaction, memory_id: int) -> list[Link]:
    """Return the heaviest edges that lead to a memory."""
    return [Link(*row) for row in await tx.tuples(INWARD, _here(tx, memory_id))]


async def corrections(tx: Transaction, memory_id: int) -> list[Correction]:
    """Return all that corrects a memory or is corrected by it, the oldest first, itself too."""
    return [Correction(*row) for row in await tx.tuples(CHAIN, _here(tx, memory_id))]


def _here(tx: Transaction, memory_id: int) -> dict[str, object]:
    return {"owner": tx.owner, "space": tx.space, "id": memory_id}
