"""The current session of each client and project: what is added without naming one goes there."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import Uuid, bindparam, text

from reasonloom.errors import SessionNotFound
from reasonloom.stores.graph_memory.memory_nodes import VISIBLE_NODES
from reasonloom.stores.sessions import sessions

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.stores.database import Transaction


MODE = "graph_memory"
"""What the sessions of graph memory say of themselves."""

WHERE = "c.owner = :owner AND c.space = :space AND c.client = :client AND c.project = :project"
FIND = text(f"""
SELECT s.id, s.number, s.ended_at FROM current_sessions c
JOIN sessions s ON s.owner = c.owner AND s.id = c.session_id WHERE {WHERE}
""")  # noqa: S608 - our own condition, no values
SET = text("""
INSERT INTO current_sessions (owner, space, client, project, session_id)
VALUES (:owner, :space, :client, :project, :session_id)
ON CONFLICT (owner, space, client, project)
    DO UPDATE SET session_id = EXCLUDED.session_id, updated_at = now()
""").bindparams(bindparam("session_id", type_=Uuid))
HOLD = text("SELECT owner FROM owners WHERE owner = :owner FOR NO KEY UPDATE")
MAKE_AND_HOLD = text("""
INSERT INTO owners (owner) VALUES (:owner)
ON CONFLICT (owner) DO UPDATE SET last_session = owners.last_session
""")
NUMBER = text("SELECT number FROM sessions WHERE owner = :owner AND id = :id").bindparams(
    bindparam("id", type_=Uuid)
)
NEXT = text("SELECT last_session + 1 AS number FROM owners WHERE owner = :owner")
LEAVE = text("DELETE FROM current_sessions WHERE owner = :owner AND session_id = :id").bindparams(
    bindparam("id", type_=Uuid)
)
REOPEN = text(
    "UPDATE sessions SET ended_at = NULL, updated_at = now() WHERE owner = :owner AND id = :id"
).bindparams(bindparam("id", type_=Uuid))


@dataclass(frozen=True, slots=True)
class NumberedSession:
    """A session by its uuid and by its number."""

    id: UUID
    number: int


async def find(tx: Transaction, caller: Caller) -> NumberedSession | None:
    """Return the caller's current session, None where there is none, or it has been ended."""
    row = await tx.first(FIND, _place(tx, caller))
    return NumberedSession(row.id, row.number) if row and row.ended_at is None else None


async def last(tx: Transaction, caller: Caller) -> NumberedSession | None:
    """Return the session that is the caller's current one, or was until it was ended."""
    row = await tx.first(FIND, _place(tx, caller))
    return NumberedSession(row.id, row.number) if row else None


async def hold(tx: Transaction) -> None:
    """Hold the owner's row until the transaction ends: of all that write, one goes on at a time.

    Who looks for the current session and then writes to it must hold it first; else the session
    could be ended in between, and its episode would lack what is written.
    """
    if await tx.first(HOLD, {"owner": tx.owner}) is None:
        await tx.run(MAKE_AND_HOLD, {"owner": tx.owner})


async def current(tx: Transaction, caller: Caller, new: UUID) -> NumberedSession:
    """Return the caller's current session; where there is none, `new` is made and is it.

    The owner's row is held: of two calls at once one makes it, and the other finds it.
    """
    await hold(tx)
    return await find(tx, caller) or await begin(tx, caller, new)


async def next_number(tx: Transaction) -> int:
    """Return the number of the session that the owner would begin now."""
    row = await tx.first(NEXT, {"owner": tx.owner})
    return int(row.number) if row else 1


async def begin(tx: Transaction, caller: Caller, new: UUID) -> NumberedSession:
    """Make a session with the owner's next number, and let it be the current one."""
    made = await sessions.open_session(
        tx, new, mode=MODE, project=caller.project, client=caller.client
    )
    row = await tx.first(NUMBER, {"owner": tx.owner, "id": made})
    assert row is not None  # noqa: S101 - it has been made a statement ago
    await go_on(tx, caller, made)
    return NumberedSession(made, row.number)


async def go_on(tx: Transaction, caller: Caller, session_id: UUID) -> None:
    """Let a session that exists be the caller's current one."""
    await tx.run(SET, {**_place(tx, caller), "session_id": session_id})


async def reopen(tx: Transaction, session_id: UUID) -> None:
    """Let a session that was ended go on; whose current one it was, it is so no more."""
    values = {"owner": tx.owner, "id": session_id}
    await tx.run(LEAVE, values)
    await tx.run(REOPEN, values)


def _place(tx: Transaction, caller: Caller) -> dict[str, str]:
    return {
        "owner": tx.owner,
        "space": tx.space,
        "client": caller.client or "",
        "project": caller.project or "",
    }


SESSION = "SELECT id, number, metadata, ended_at, episode_id FROM sessions s"
OF_NUMBER = text(f"""
{SESSION} WHERE s.owner = :owner AND s.space = :space AND s.number = :number
""")
OF_ID = text(f"{SESSION} WHERE s.owner = :owner AND s.space = :space AND s.id = :id").bindparams(
    bindparam("id", type_=Uuid)
)
MERGE = text("""
UPDATE sessions SET metadata = metadata || CAST(:metadata AS jsonb), updated_at = now()
WHERE owner = :owner AND id = :id RETURNING metadata
""").bindparams(bindparam("id", type_=Uuid))
END = text("""
UPDATE sessions SET ended_at = coalesce(ended_at, :at), updated_at = now(),
    episode_id = coalesce(CAST(:episode AS bigint), episode_id)
WHERE owner = :owner AND id = :id
""").bindparams(bindparam("id", type_=Uuid))
HEAD = text(f"""
WITH RECURSIVE later (id, superseded_by) AS (
    SELECT m.id, m.superseded_by FROM memories m WHERE {VISIBLE_NODES} AND m.id = :id
    UNION ALL
    SELECT m.id, m.superseded_by FROM later JOIN memories m ON m.id = later.superseded_by
    WHERE {VISIBLE_NODES}
)
SELECT id FROM later WHERE superseded_by IS NULL
""")  # noqa: S608 - a constant, no values
"""What supersedes a memory is newer than it, so that this ends."""


@dataclass(frozen=True, slots=True)
class SessionCourse:
    """A session as far as it has come; `episode_id` sums it up, or did before it was forgotten."""

    id: UUID
    number: int
    metadata: dict[str, Any]
    ended_at: datetime | None
    episode_id: int | None


async def of_number(tx: Transaction, number: int, *, field: str = "session_id") -> SessionCourse:
    """Return the session of a number.

    Raises:
        SessionNotFound: this owner has none such in this space.
    """
    row = await tx.first(OF_NUMBER, {"owner": tx.owner, "space": tx.space, "number": number})
    if row is None:
        raise SessionNotFound(str(number), field=field)
    return _course(row)


async def of_id(tx: Transaction, session_id: UUID) -> SessionCourse:
    """Return a session that is known to be there."""
    row = await tx.first(OF_ID, {"owner": tx.owner, "space": tx.space, "id": session_id})
    assert row is not None  # noqa: S101 - sessions are never removed
    return _course(row)


async def merge_metadata(
    tx: Transaction, session_id: UUID, metadata: dict[str, Any]
) -> dict[str, Any]:
    """Add to a session's metadata, the new value where a key is there; return the whole."""
    said = json.dumps(metadata, ensure_ascii=False)
    row = await tx.first(MERGE, {"owner": tx.owner, "id": session_id, "metadata": said})
    assert row is not None  # noqa: S101 - the session is there
    return dict(row.metadata)


async def end(tx: Transaction, session_id: UUID, at: datetime, episode_id: int | None) -> None:
    """Mark a session as ended, with the episode that sums it up, if there is a new one."""
    await tx.run(END, {"owner": tx.owner, "id": session_id, "at": at, "episode": episode_id})


async def head(tx: Transaction, memory_id: int | None) -> int | None:
    """Return the memory that stands for another today; None where that was hidden."""
    if memory_id is None:
        return None
    row = await tx.first(HEAD, {"owner": tx.owner, "space": tx.space, "id": memory_id})
    return int(row.id) if row else None


def _course(row: Any) -> SessionCourse:
    return SessionCourse(row.id, row.number, row.metadata, row.ended_at, row.episode_id)
