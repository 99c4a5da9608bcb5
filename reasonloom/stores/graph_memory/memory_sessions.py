"""Sessions of graph memory: the current one per client and project, their numbers and ends."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from reasonloom.contracts.caller import Caller
from reasonloom.errors import SessionNotFound
from reasonloom.stores.database import Transaction
from reasonloom.stores.graph_memory.memory_nodes import VISIBLE_NODES
from reasonloom.stores.pipelines import together
from reasonloom.stores.sessions import sessions
from reasonloom.stores.statements import load

MODE = "graph_memory"
"""The mode of graph memory sessions."""

SQL = load(__file__, visible_nodes=VISIBLE_NODES)


@dataclass(frozen=True, slots=True)
class NumberedSession:
    """A session's UUID and number."""

    id: UUID
    number: int


async def find(tx: Transaction, caller: Caller) -> NumberedSession | None:
    """Return the caller's current session, None if there is none or it has ended."""
    row = await tx.first(SQL.find, _place(caller))
    return NumberedSession(row.id, row.number) if row and row.ended_at is None else None


async def last(tx: Transaction, caller: Caller) -> NumberedSession | None:
    """Return the caller's current or last session, even if it has ended."""
    row = await tx.first(SQL.find, _place(caller))
    return NumberedSession(row.id, row.number) if row else None


async def hold(tx: Transaction) -> bool:
    """Lock the owner's row until the transaction ends, to serialise writers.

    Returns False if it had to be created, which may have waited for another writer.

    Callers that look up the current session and then write to it must take this lock first;
    otherwise the session could end in between, and its episode would lack the new memory.
    """
    if await tx.first(SQL.hold) is not None:
        return True
    await tx.run(SQL.make_and_hold)
    return False


async def current(tx: Transaction, caller: Caller, new: UUID) -> NumberedSession:
    """Return the caller's current session; if there is none, create it as `new`.

    The owner's row is locked: of two concurrent calls, one creates it and the other finds it.
    """
    held, found = await together(hold(tx), find(tx, caller))
    if not held:
        found = await find(tx, caller)
    return found or await begin(tx, caller, new)


async def next_number(tx: Transaction) -> int:
    """Return the number that the owner's next session would get."""
    row = await tx.first(SQL.next)
    return int(row.number) if row else 1


async def begin(tx: Transaction, caller: Caller, new: UUID) -> NumberedSession:
    """Create a session with the owner's next number and make it the current one."""
    made, row, _ = await together(
        sessions.open_session(tx, new, mode=MODE, project=caller.project, client=caller.client),
        tx.one(SQL.number, {"id": new}),
        go_on(tx, caller, new),
    )
    return NumberedSession(made, row.number)


async def begin_number(tx: Transaction, caller: Caller, new: UUID, number: int) -> None:
    """Create a session with an unused number and make it the current one.

    The owner's row must be locked.

    Raises:
        SessionNotFound: a session of another space has the number.
    """
    values = {"id": new, "number": number, "mode": MODE}
    values |= {"project": caller.project, "client": caller.client}
    if await tx.first(SQL.open_number, values) is None:
        raise SessionNotFound(str(number), field="session_id")
    await go_on(tx, caller, new)


async def go_on(tx: Transaction, caller: Caller, session_id: UUID) -> None:
    """Make an existing session the caller's current one."""
    await tx.run(SQL.set, {**_place(caller), "session_id": session_id})


async def reopen(tx: Transaction, session_id: UUID) -> None:
    """Reopen an ended session; it stops being anybody's current session."""
    values = {"id": session_id}
    await tx.run(SQL.leave, values)
    await tx.run(SQL.reopen, values)


def _place(caller: Caller) -> dict[str, str]:
    return {"client": caller.client or "", "project": caller.project or ""}


@dataclass(frozen=True, slots=True)
class SessionCourse:
    """A session with the episode that summarises it, even if that has been forgotten."""

    id: UUID
    number: int
    metadata: dict[str, Any]
    ended_at: datetime | None
    episode_id: int | None


async def of_number(tx: Transaction, number: int) -> SessionCourse:
    """Return the session with a number.

    Raises:
        SessionNotFound: the owner has no such session in this space.
    """
    course = await find_number(tx, number)
    if course is None:
        raise SessionNotFound(str(number), field="session_id")
    return course


async def find_number(tx: Transaction, number: int) -> SessionCourse | None:
    """Return the session with a number, None if the owner has no such session in this space."""
    rows = await tx.rows(SessionCourse, SQL.of_number, {"number": number})
    return rows[0] if rows else None


async def of_id(tx: Transaction, session_id: UUID) -> SessionCourse:
    """Return a session that is known to exist."""
    [course] = await tx.rows(SessionCourse, SQL.of_id, {"id": session_id})
    return course


async def merge_metadata(
    tx: Transaction, session_id: UUID, metadata: dict[str, Any]
) -> dict[str, Any]:
    """Merge into a session's metadata, overwriting existing keys; return the result."""
    merged = json.dumps(metadata, ensure_ascii=False)
    row = await tx.one(SQL.merge, {"id": session_id, "metadata": merged})
    return dict(row.metadata)


async def end(tx: Transaction, session_id: UUID, at: datetime, episode_id: int | None) -> None:
    """Mark a session as ended, with the new episode that summarises it, if any."""
    await tx.run(SQL.end, {"id": session_id, "at": at, "episode": episode_id})


async def head(tx: Transaction, memory_id: int | None) -> int | None:
    """Return the current version of a memory; None if that is hidden."""
    if memory_id is None:
        return None
    row = await tx.first(SQL.head, {"id": memory_id})
    return int(row.id) if row else None
