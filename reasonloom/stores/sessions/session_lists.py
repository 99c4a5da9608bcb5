"""Sessions as a list shows them: a page of them, found by words, with how much each holds."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from sqlalchemy import text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

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
