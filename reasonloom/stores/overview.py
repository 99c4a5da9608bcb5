"""How much of everything a space holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

READ = text("""
SELECT
    (SELECT count(*) FROM sessions WHERE owner = :owner AND space = :space),
    (SELECT count(*) FROM memories WHERE owner = :owner AND space = :space
        AND deleted_at IS NULL AND source_kind <> 'transcript'),
    (SELECT count(*) FROM thought_graphs g
        JOIN sessions s ON s.owner = g.owner AND s.id = g.session_id
        WHERE g.owner = :owner AND s.space = :space),
    (SELECT count(*) FROM projects WHERE owner = :owner),
    (SELECT count(*) FROM models WHERE owner = :owner)
""")


class Overview(NamedTuple):
    """Counts of a space."""

    sessions: int
    memories: int
    graphs: int
    projects: int
    models: int


async def read(tx: Transaction) -> Overview:
    """Return the counts of the caller's space; hidden memories and past chunks are none."""
    row = await tx.first(READ, {"owner": tx.owner, "space": tx.space})
    return Overview._make(row) if row else Overview(0, 0, 0, 0, 0)
