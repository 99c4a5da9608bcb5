"""Sessions of past conversations: found by their ids, many made at once."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from sqlalchemy import ARRAY, Uuid, bindparam, text

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
