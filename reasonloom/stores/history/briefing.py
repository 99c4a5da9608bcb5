"""What is known of a project by its folder: its last conversations, files, errors and clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

SEEN = "c.owner = :owner AND c.project = :project AND c.forgotten IS NULL"
SLUG = text("SELECT slug FROM projects WHERE owner = :owner AND path = ANY(:paths) LIMIT 1")
OF_SESSION = text("""
SELECT c.project FROM chunks c WHERE c.owner = :owner AND c.session = :session
    AND c.forgotten IS NULL ORDER BY c.at DESC, c.memory_id DESC LIMIT 1
""")
NEWEST = text(f"""
SELECT c.session, c.agent, c.at, coalesce(c.ended_at, c.at) AS ended_at, c.files, c.errors,
    left(m.content, :longest) AS content
FROM chunks c JOIN memories m ON m.owner = c.owner AND m.id = c.memory_id
WHERE {SEEN} AND m.deleted_at IS NULL
ORDER BY c.at DESC, c.first_turn DESC, c.ordinal DESC, c.memory_id DESC LIMIT :limit
""")  # noqa: S608 - our own condition, no values
CLUSTERS = text(f"""
SELECT b.name FROM (SELECT c.memory_id FROM chunks c WHERE {SEEN}
    ORDER BY c.at DESC, c.memory_id DESC LIMIT :limit) c
JOIN basin_members k ON k.owner = :owner AND k.memory_id = c.memory_id
JOIN basins b ON b.owner = k.owner AND b.id = k.basin
GROUP BY b.id, b.name ORDER BY count(*) DESC, b.name LIMIT :most
""")  # noqa: S608 - our own condition, no values

LONGEST = 12_000
"""Characters read of a chunk; it has 1,500 tokens at most."""


@dataclass(frozen=True, slots=True)
class Past:
    """A chunk as far as a briefing needs it; `agent` is the sub-agent's, None in the main line."""

    session: str
    agent: str | None
    at: datetime
    ended_at: datetime
    files: list[str]
    errors: list[str]
    content: str


async def project_of(tx: Transaction, paths: Sequence[str], session: str | None) -> str | None:
    """Return the slug of the project in one of these folders, or else of a session's."""
    row = await tx.first(SLUG, {"owner": tx.owner, "paths": list(paths)})
    if row is None and session:
        row = await tx.first(OF_SESSION, {"owner": tx.owner, "session": session})
    return str(row[0]) if row else None


async def newest(tx: Transaction, project: str, limit: int) -> Sequence[Past]:
    """Return a project's chunks that are not forgotten, the newest first."""
    values = {"owner": tx.owner, "project": project, "limit": limit, "longest": LONGEST}
    return [Past(*row) for row in await tx.tuples(NEWEST, values)]


async def clusters(tx: Transaction, project: str, limit: int, most: int) -> Sequence[str]:
    """Return the names of the clusters that most of the newest `limit` chunks are in."""
    values = {"owner": tx.owner, "project": project, "limit": limit, "most": most}
    return [str(row[0]) for row in await tx.all(CLUSTERS, values)]
