"""Sessions: what groups thoughts and memories, known by uuid, number or an outside name."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from sqlalchemy import Uuid, bindparam, func, select, text, update

from reasonloom.errors import SessionNotFound
from reasonloom.stores.identifiers import parse_uuid
from reasonloom.stores.tables import Session

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


OPEN = text("""
WITH known AS (
    SELECT id FROM sessions WHERE owner = :owner AND space = :space
    AND CASE WHEN CAST(:name AS text) IS NULL THEN id = :id ELSE external_name = :name END
), counted AS (
    INSERT INTO owners (owner, last_session) SELECT :owner, 1 WHERE NOT EXISTS (SELECT FROM known)
    ON CONFLICT (owner) DO UPDATE SET last_session = owners.last_session + 1
    RETURNING last_session
), made AS (
    INSERT INTO sessions (owner, id, number, space, external_name, mode, project, client)
    SELECT :owner, :id, last_session, :space, :name, :mode, :project, :client FROM counted
    ON CONFLICT DO NOTHING RETURNING id
)
SELECT id FROM known UNION ALL SELECT id FROM made
""").bindparams(bindparam("id", type_=Uuid))
"""Finds a session or makes it with the owner's next number, in one statement."""

COLUMNS = (
    Session.id,
    Session.number,
    Session.mode,
    Session.active_branch_id,
    Session.metadata_.label("meta"),
    Session.created_at,
    Session.updated_at,
)


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session as stored; `active_branch_id` is its root's where no other was made active."""

    id: UUID
    number: int
    mode: str | None
    active_branch_id: UUID
    metadata: dict[str, Any]
    created_at: datetime
    updated_at: datetime


async def open_session(
    tx: Transaction,
    session_id: UUID,
    *,
    mode: str | None = None,
    name: str | None = None,
    project: str | None = None,
    client: str | None = None,
) -> UUID:
    """Return the session `session_id`, or the one that already has `name`; made where new."""
    values = {
        "owner": tx.owner,
        "space": tx.space,
        "id": session_id,
        "name": name,
        "mode": mode,
        "project": project,
        "client": client,
    }
    row = await tx.first(OPEN, values)
    if row is None:
        # Somebody made the same name between our look and our write: theirs is seen now.
        row = await tx.first(OPEN, values)
    assert row is not None  # noqa: S101 - it was there or has been made
    return UUID(str(row.id))


async def require(tx: Transaction, session_id: str, *, field: str = "session_id") -> SessionRow:
    """Return an existing session, to be read.

    Raises:
        SessionNotFound: this owner has none such, or the text is no uuid.
    """
    wanted = parse_uuid(session_id)
    row = wanted and await tx.first(
        select(*COLUMNS).where(
            Session.owner == tx.owner, Session.space == tx.space, Session.id == wanted
        )
    )
    if not row:
        raise SessionNotFound(session_id, field=field)
    return _row(row)


async def hold(tx: Transaction, session_id: str, *, field: str = "session_id") -> SessionRow:
    """Return an existing session, held until the transaction ends: others who write to it wait.

    It is held by noting that it was written to, which lets others read it and refer to it.

    Raises:
        SessionNotFound: this owner has none such, or the text is no uuid.
    """
    wanted = parse_uuid(session_id)
    row = wanted and await tx.first(
        update(Session)
        .where(Session.owner == tx.owner, Session.space == tx.space, Session.id == wanted)
        .values(updated_at=func.clock_timestamp())
        .returning(*COLUMNS)
    )
    if not row:
        raise SessionNotFound(session_id, field=field)
    return _row(row)


async def make_active(tx: Transaction, session_id: UUID, branch_id: UUID) -> None:
    """Let the session's next steps stand on a branch; the session must be held."""
    await tx.run(
        update(Session)
        .where(Session.owner == tx.owner, Session.id == session_id)
        .values(active_branch_id=branch_id)
    )


async def newest(tx: Transaction, limit: int) -> list[SessionRow]:
    """Return the sessions last written to, newest first."""
    rows = await tx.all(
        select(*COLUMNS)
        .where(Session.owner == tx.owner, Session.space == tx.space)
        .order_by(Session.updated_at.desc(), Session.number.desc())
        .limit(limit)
    )
    return [_row(row) for row in rows]


def _row(row: Any) -> SessionRow:
    return SessionRow(
        row.id,
        row.number,
        row.mode,
        row.active_branch_id or row.id,
        row.meta,
        row.created_at,
        row.updated_at,
    )


LONGEST = 240
"""Characters of what a session began with."""

FOUND = """
owner = :owner AND space = :space AND (:words = '' OR number::text = :words
    OR position(lower(:words) IN lower(concat_ws(' ', mode, project, external_name, id::text))) > 0
    OR EXISTS (SELECT FROM thoughts t WHERE t.owner = s.owner AND t.session_id = s.id
        AND position(lower(:words) IN lower(concat(t.input, ' ', t.content))) > 0))
"""
PAGE = text(f"""
SELECT s.id, s.number, s.mode, s.project, s.external_name, s.updated_at,
    (SELECT count(*) FROM thoughts t WHERE t.owner = s.owner AND t.session_id = s.id),
    (SELECT count(*) FROM branches b WHERE b.owner = s.owner AND b.session_id = s.id),
    coalesce((SELECT left(t.input, {LONGEST}) FROM thoughts t
        WHERE t.owner = s.owner AND t.session_id = s.id ORDER BY t.position LIMIT 1), '')
FROM sessions s WHERE {FOUND}
ORDER BY s.updated_at DESC, s.number DESC LIMIT :size OFFSET :skip
""")  # noqa: S608 - our own condition and number, no values
COUNT = text(f"SELECT count(*) FROM sessions s WHERE {FOUND}")  # noqa: S608 - as above


class ListedSession(NamedTuple):
    """One session: what it is known by, when it was last written to, and how much it holds.

    `began` is the beginning of its first thought's input, "" where it has none.
    """

    id: UUID
    number: int
    mode: str | None
    project: str | None
    name: str | None
    updated_at: datetime
    thoughts: int
    branches: int
    began: str


async def page(tx: Transaction, words: str, size: int, skip: int) -> list[ListedSession]:
    """Return sessions, those last written to first; `words` stand in them or name them."""
    values = {"owner": tx.owner, "space": tx.space, "words": words, "size": size, "skip": skip}
    return [ListedSession(*row) for row in await tx.tuples(PAGE, values)]


async def count(tx: Transaction, words: str) -> int:
    """Return how many there are in all."""
    row = await tx.first(COUNT, {"owner": tx.owner, "space": tx.space, "words": words})
    return int(row[0]) if row else 0
