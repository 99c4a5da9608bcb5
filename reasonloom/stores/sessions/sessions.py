"""Sessions group thoughts and memories; each has a UUID, a number and maybe an external name."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from reasonloom.errors import SessionNotFound
from reasonloom.stores.database import Transaction
from reasonloom.stores.identifiers import require_row
from reasonloom.stores.statements import load

LONGEST = 240
"""Characters of a session's first input shown in a list."""

SQL = load(__file__, longest=LONGEST)


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session as stored; `active_branch_id` defaults to its root branch."""

    id: UUID
    number: int
    mode: str | None
    active_branch_id: UUID
    metadata: dict[str, Any]
    created_at: datetime
    updated_at: datetime


class ListedSession(NamedTuple):
    """A session in a list; `began` is the start of its first thought's input, "" if it has none."""

    id: UUID
    number: int
    mode: str | None
    project: str | None
    name: str | None
    updated_at: datetime
    thoughts: int
    branches: int
    began: str


async def open_session(
    tx: Transaction,
    session_id: UUID,
    *,
    mode: str | None = None,
    name: str | None = None,
    project: str | None = None,
    client: str | None = None,
) -> UUID:
    """Return the session `session_id`, or the one already named `name`; create it if needed."""
    values = {"id": session_id, "name": name, "mode": mode, "project": project, "client": client}
    row = await tx.first(SQL.open, values)
    if row is None:
        # Another transaction inserted the same name after this one's lookup; now it is visible.
        row = await tx.one(SQL.open, values)
    return UUID(str(row.id))


async def require(tx: Transaction, session_id: str, *, field: str = "session_id") -> SessionRow:
    """Return an existing session for reading.

    Raises:
        SessionNotFound: the owner has no such session, or the text is not a uuid.
    """
    return await require_row(
        tx, SessionRow, SQL.find, session_id, missing=SessionNotFound, field=field
    )


async def hold(tx: Transaction, session_id: str, *, field: str = "session_id") -> SessionRow:
    """Return an existing session, locked against other writers until the transaction ends.

    Updating `updated_at` takes the lock; others may still read it and refer to it.

    Raises:
        SessionNotFound: the owner has no such session, or the text is not a uuid.
    """
    return await require_row(
        tx, SessionRow, SQL.hold, session_id, missing=SessionNotFound, field=field
    )


async def make_active(tx: Transaction, session_id: UUID, branch_id: UUID) -> None:
    """Continue a locked session on another branch."""
    await tx.run(SQL.make_active, {"id": session_id, "branch": branch_id})


async def newest(tx: Transaction, limit: int) -> list[SessionRow]:
    """Return the sessions that were written to last, newest first."""
    return await tx.rows(SessionRow, SQL.newest, {"limit": limit})


async def page(
    tx: Transaction, words: str, size: int, skip: int, *, empty: bool = False
) -> list[ListedSession]:
    """Return sessions, last written to first, whose texts or names contain `words`.

    Sessions without thoughts are included only if `empty`.
    """
    values = {"words": words, "empty": empty, "size": size, "skip": skip}
    return await tx.rows(ListedSession, SQL.page, values)


async def count(tx: Transaction, words: str, *, empty: bool = False) -> int:
    """Return the number of sessions that match."""
    return await tx.number(SQL.count, {"words": words, "empty": empty})
