"""Sessions of past conversations: found by their ids, many made at once."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID, uuid4

from sqlalchemy import ARRAY, Uuid, bindparam, text

from reasonloom.stores.history.chunk_lists import SEEN

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


KNOWN = text("""
SELECT id, external_name, project FROM sessions
WHERE owner = :owner AND space = :space AND external_name = ANY(CAST(:names AS text[]))
""")
NUMBERS = text("""
INSERT INTO owners (owner, last_session) VALUES (:owner, :new)
ON CONFLICT (owner) DO UPDATE SET last_session = owners.last_session + :new
RETURNING last_session
""")
MAKE = text("""
INSERT INTO sessions (owner, id, number, space, external_name, project)
SELECT :owner, id, :first + place, :space, name, project FROM unnest(
    :ids, CAST(:names AS text[]), CAST(:projects AS text[])
) WITH ORDINALITY AS s (id, name, project, place)
ON CONFLICT (owner, space, external_name) DO NOTHING
""").bindparams(bindparam("ids", type_=ARRAY(Uuid)))

Place = tuple[str, str]
"""A session's id in its transcript, and its project's slug."""


async def sessions_for(tx: Transaction, places: Collection[Place]) -> dict[Place, UUID]:
    """Return the rows of sessions, made where new.

    A session is known by its id; where another project has one of that id, by `project/id`.
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
    last = await tx.first(NUMBERS, {"owner": tx.owner, "new": len(names)})
    assert last is not None  # noqa: S101 - it was there or has been made
    values = {
        "owner": tx.owner,
        "space": tx.space,
        "first": int(last.last_session) - len(names),
        "ids": [uuid4() for _ in names],
        "names": list(names),
        "projects": [project for _, project in names.values()],
    }
    await tx.run(MAKE, values)
    return found | await _known(tx, new)


async def _known(tx: Transaction, places: Collection[Place]) -> dict[Place, UUID]:
    """Return those that are there."""
    names = [name for session, project in places for name in (session, f"{project}/{session}")]
    rows = await tx.all(KNOWN, {"owner": tx.owner, "space": tx.space, "names": names})
    there = {(row.external_name, row.project): UUID(str(row.id)) for row in rows}
    found: dict[Place, UUID] = {}
    for session, project in places:
        for name in (session, f"{project}/{session}"):
            if (name, project) in there:
                found.setdefault((session, project), there[name, project])
    return found


async def _taken(tx: Transaction, names: list[str]) -> set[str]:
    """Return which of these names some session has."""
    rows = await tx.all(KNOWN, {"owner": tx.owner, "space": tx.space, "names": names})
    return {row.external_name for row in rows}


HERE = f"""{SEEN} AND c.session = :session
    AND (CAST(:project AS text) IS NULL OR c.project = :project)"""
FIND_SESSIONS = text(f"""
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


async def find_sessions(tx: Transaction, session: str, project: str | None) -> list[PastSession]:
    """Return the sessions of this id, one a project, the newest first."""
    values = {"owner": tx.owner, "session": session, "project": project}
    return [PastSession(*row) for row in await tx.tuples(FIND_SESSIONS, values)]


async def pieces(tx: Transaction, chosen: PastSession, size: int, skip: int) -> list[Piece]:
    """Return a page of a session's pieces in order of time."""
    here = {"owner": tx.owner, "space": tx.space}
    values = {**here, "session": chosen.session, "project": chosen.project}
    rows = await tx.tuples(PIECES, {**values, "size": size, "skip": skip})
    return [Piece(*row) for row in rows]
