"""Corrections: which memory supersedes which, and the whole tree of them above one."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import Uuid, bindparam, text

from reasonloom.stores.graph_memory.memory_nodes import VISIBLE_NODES

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

OUTDONE = "outdone"
"""What the edge from a correction to an earlier one of the same node says of its origin."""

SUPERSEDE = text(f"""
INSERT INTO edges (owner, source_id, target_id, type, weight, origin, run_id, reason)
SELECT :owner, :newer, m.id, 'supersedes', 1, :origin, :run_id, :reason
FROM memories m WHERE {VISIBLE_NODES} AND m.id = :older
ON CONFLICT DO NOTHING
""").bindparams(bindparam("run_id", type_=Uuid))  # noqa: S608 - our own condition, no values
OLDER = text(f"""
SELECT m.tags, same_text(m.content) = same_text(:content) AS same
FROM memories m WHERE {VISIBLE_NODES} AND m.id = :id
""")  # noqa: S608
OVER = text(f"""
SELECT e.source_id FROM edges e JOIN memories m ON m.id = e.source_id AND {VISIBLE_NODES}
WHERE e.owner = :owner AND e.target_id = :id AND e.type = 'supersedes' AND e.source_id <> :but
ORDER BY e.source_id DESC LIMIT :most
""")  # noqa: S608
ABOVE = text(f"""
WITH RECURSIVE above AS (
    SELECT CAST(:id AS bigint) AS newer, CAST(NULL AS bigint) AS older
  UNION
    SELECT over.source_id, a.newer FROM above a CROSS JOIN LATERAL (
        SELECT source_id FROM edges WHERE owner = :owner AND target_id = a.newer
            AND type = 'supersedes' OFFSET 0) over
    CROSS JOIN LATERAL (SELECT FROM memories m WHERE {VISIBLE_NODES} AND m.id = over.source_id LIMIT 1) m
)
SELECT found.newer, found.older, e.origin = '{OUTDONE}' AS outdone
FROM (SELECT newer, older FROM above WHERE older IS NOT NULL LIMIT :most) found
JOIN edges e ON e.owner = :owner AND e.source_id = found.newer AND e.target_id = found.older
    AND e.type = 'supersedes'
""")  # noqa: S608
"""Each edge comes once, so that a circle ends; nothing beyond the limit is walked. What is
joined sideways is looked up by its number, whatever is known of how many there are."""


async def supersede(
    tx: Transaction, newer: int, older: int, *, reason: str | None, origin: str, run_id: UUID
) -> bool:
    """Let a memory supersede another; False where the other is not there any more."""
    values = {
        "owner": tx.owner,
        "space": tx.space,
        "newer": newer,
        "older": older,
        "origin": origin,
        "run_id": run_id,
        "reason": reason,
    }
    return await tx.run(SUPERSEDE, values) == 1


async def tags_of(tx: Transaction, memory_id: int, content: str) -> tuple[list[str], bool]:
    """Return a memory's tags, and whether it says the same as `content`; no tags if it is gone."""
    values = {"owner": tx.owner, "space": tx.space, "id": memory_id, "content": content}
    row = await tx.first(OLDER, values)
    return (list(row.tags), row.same) if row else ([], False)


async def corrections(tx: Transaction, memory_id: int, *, but: int, most: int) -> list[int]:
    """Return the memories that supersede one directly, newest first, without `but`."""
    values = {"owner": tx.owner, "space": tx.space, "id": memory_id, "but": but, "most": most}
    return [row[0] for row in await tx.tuples(OVER, values)]


async def above(tx: Transaction, memory_id: int, *, most: int) -> dict[tuple[int, int], bool]:
    """Return up to `most` of the edges (newer, older) above a memory.

    Each tells whether it is there only because the newer one outdoes another correction.
    """
    values = {"owner": tx.owner, "space": tx.space, "id": memory_id, "most": most}
    rows = await tx.tuples(ABOVE, values)
    return {(newer, older): outdone for newer, older, outdone in rows}
