"""Runs of thinking in four streams, as a list shows them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from sqlalchemy import text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

LONGEST = 400
CHOSEN = """
owner = :owner AND space = :space
    AND (tool = 'ponder' OR tool = 'think' AND input ->> 'mode' = 'parallel')
"""
PAGE = text(f"""
SELECT id, status, llm, left(coalesce(input ->> 'problem', ''), {LONGEST}),
    jsonb_array_length(coalesce(output #> '{{answer,insights}}', '[]')),
    jsonb_array_length(coalesce(output #> '{{answer,conflicts}}', '[]')), created_at
FROM runs WHERE {CHOSEN} ORDER BY created_at DESC, id LIMIT :size OFFSET :skip
""")  # noqa: S608 - our own condition and number, no values
COUNT = text(f"SELECT count(*) FROM runs WHERE {CHOSEN}")  # noqa: S608 - as above


class ListedPonder(NamedTuple):
    """One such run; `problem` is "" where it was redacted."""

    id: UUID
    status: str
    llm: str | None
    problem: str
    insights: int
    conflicts: int
    created_at: datetime


async def page(tx: Transaction, size: int, skip: int) -> list[ListedPonder]:
    """Return such runs, the newest first."""
    values = {"owner": tx.owner, "space": tx.space, "size": size, "skip": skip}
    return [ListedPonder(*row) for row in await tx.tuples(PAGE, values)]


async def count(tx: Transaction) -> int:
    """Return how many there are in all."""
    row = await tx.first(COUNT, {"owner": tx.owner, "space": tx.space})
    return int(row[0]) if row else 0
