"""Past sessions to be read: where one stands, and its pieces page by page in order of time."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import text

from reasonloom.stores.history.chunk_lists import SEEN

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

HERE = f"""{SEEN} AND c.session = :session
    AND (CAST(:project AS text) IS NULL OR c.project = :project)"""
FOUND = text(f"""
SELECT c.project, c.session, count(*), sum(c.tokens)::bigint, min(c.started_at),
    max(coalesce(c.ended_at, c.started_at))
FROM chunks c WHERE {HERE} GROUP BY c.project, c.session ORDER BY min(c.at) DESC LIMIT 20
""")  # noqa: S608 - our own condition, no values
PIECES = text(f"""
SELECT m.id, c.agent, c.started_at, c.tokens, m.content, c.continues, c.files, c.errors
FROM (SELECT c.memory_id FROM chunks c WHERE {HERE}
    ORDER BY c.at, c.first_turn, c.ordinal, c.memory_id LIMIT :size OFFSET :skip) picked
JOIN chunks c ON c.owner = :owner AND c.memory_id = picked.memory_id
JOIN memories m ON m.owner = :owner AND m.id = picked.memory_id AND m.space = :space
    AND m.deleted_at IS NULL
ORDER BY c.at, c.first_turn, c.ordinal, m.id
""")  # noqa: S608 - as above


class PastSession(NamedTuple):
    """A session of the past; times are None where its transcript told none."""

    project: str
    session: str
    chunks: int
    tokens: int
    started_at: datetime | None
    ended_at: datetime | None


class Piece(NamedTuple):
    """A piece of it; `continues` where its turn goes on in the next."""

    id: int
    agent: str | None
    time: datetime | None
    tokens: int
    content: str
    continues: bool
    files: list[str]
    errors: list[str]


async def found(tx: Transaction, session: str, project: str | None) -> list[PastSession]:
    """Return the sessions of this id, one a project, the newest first."""
    values = {"owner": tx.owner, "session": session, "project": project}
    return [PastSession(*row) for row in await tx.tuples(FOUND, values)]


async def pieces(tx: Transaction, chosen: PastSession, size: int, skip: int) -> list[Piece]:
    """Return a page of a session's pieces in order of time."""
    here = {"owner": tx.owner, "space": tx.space}
    values = {**here, "session": chosen.session, "project": chosen.project}
    rows = await tx.tuples(PIECES, {**values, "size": size, "skip": skip})
    return [Piece(*row) for row in rows]
