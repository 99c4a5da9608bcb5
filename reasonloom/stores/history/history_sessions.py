"""Finds sessions of past conversations by their ids, and creates many at once."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple
from uuid import UUID, uuid4

from reasonloom.stores.database import Transaction
from reasonloom.stores.history.chunk_lists import SEEN
from reasonloom.stores.statements import load

SQL = load(__file__, seen=SEEN)

Place = tuple[str, str]
"""A session's id in its transcript, and its project's slug."""


async def sessions_for(tx: Transaction, places: Collection[Place]) -> dict[Place, UUID]:
    """Return the row ids of sessions, creating missing ones.

    A session is named by its id, or by `project/id` if another project has a session of that id.
    """
    found = await _known(tx, places)
    new = [place for place in dict.fromkeys(places) if place not in found]
    if not new:
        return found
    taken = await _taken(tx, [session for session, _ in new])
    names: dict[str, Place] = {}
    for session, project in new:
        free = session not in taken and session not in names
        names[session if free else f"{project}/{session}"] = (session, project)
    last = await tx.one(SQL.numbers, {"new": len(names)})
    values = {
        "first": int(last.last_session) - len(names),
        "ids": [uuid4() for _ in names],
        "names": list(names),
        "projects": [project for _, project in names.values()],
    }
    await tx.run(SQL.make, values)
    return found | await _known(tx, new)


async def _known(tx: Transaction, places: Collection[Place]) -> dict[Place, UUID]:
    """Return the sessions that exist."""
    names = [name for session, project in places for name in (session, f"{project}/{session}")]
    rows = await tx.all(SQL.known, {"names": names})
    there = {(row.external_name, row.project): UUID(str(row.id)) for row in rows}
    found: dict[Place, UUID] = {}
    for session, project in places:
        for name in (session, f"{project}/{session}"):
            if (name, project) in there:
                found.setdefault((session, project), there[name, project])
    return found


async def _taken(tx: Transaction, names: list[str]) -> set[str]:
    """Return those of these names that are taken by a session."""
    rows = await tx.all(SQL.known, {"names": names})
    return {row.external_name for row in rows}


class PastSession(NamedTuple):
    """A past session; times are None if its transcript has none."""

    project: str
    session: str
    chunks: int
    tokens: int
    started_at: datetime | None
    ended_at: datetime | None


class Piece(NamedTuple):
    """A chunk of a past session; `continues` means that its turn continues in the next chunk."""

    id: int
    agent: str | None
    time: datetime | None
    tokens: int
    content: str
    continues: bool
    files: list[str]
    errors: list[str]


async def find_sessions(tx: Transaction, session: str, project: str | None) -> list[PastSession]:
    """Return the sessions with this id, one per project, newest first."""
    return await tx.rows(PastSession, SQL.find_sessions, {"session": session, "project": project})


async def pieces(tx: Transaction, chosen: PastSession, size: int, skip: int) -> list[Piece]:
    """Return a page of a session's pieces in chronological order."""
    values = {"session": chosen.session, "project": chosen.project}
    return await tx.rows(Piece, SQL.pieces, {**values, "size": size, "skip": skip})
