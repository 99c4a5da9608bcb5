"""Sessions: what groups thoughts and memories, known by uuid, number or an outside name."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import Uuid, bindparam, func, select, text, update

from reasonloom.errors import SessionNotFound
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


async def require(tx: Transaction, session_id: str, *, field: str = "session_id") -> UUID:
    """Return the id of an existing session.

    Raises:
        SessionNotFound: this owner has none such, or the text is no uuid.
    """
    try:
        wanted = UUID(session_id)
    except ValueError:
        raise SessionNotFound(session_id, field=field) from None
    row = await tx.first(
        select(Session.id).where(
            Session.owner == tx.owner, Session.space == tx.space, Session.id == wanted
        )
    )
    if row is None:
        raise SessionNotFound(session_id, field=field)
    return wanted


async def touch(tx: Transaction, session_id: UUID) -> None:
    """Note that the session was written to."""
    await tx.run(
        update(Session)
        .where(Session.owner == tx.owner, Session.id == session_id)
        .values(updated_at=func.now())
    )
