"""Waypoints: links from a memory to the few that are most alike, few at either end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
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


async def lead(
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
