"""The newest memories, thoughts and runs of a space, as a listing names them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import text

from reasonloom.stores.memory.by_id import NOT_PAST

if TYPE_CHECKING:
    from sqlalchemy import TextClause

    from reasonloom.stores.database import Transaction

LONGEST = 200
"""Characters of a text that are read to name it by."""

MEMORIES = text(f"""
SELECT 'mem-' || id, sector, left(content, {LONGEST}), created_at FROM memories
WHERE owner = :owner AND space = :space AND deleted_at IS NULL AND {NOT_PAST}
ORDER BY created_at DESC, id DESC LIMIT :most
""")  # noqa: S608 - our own condition and number, no values
THOUGHTS = text(f"""
SELECT t.id::text, t.mode, left(t.content, {LONGEST}), t.created_at FROM thoughts t
JOIN sessions s ON s.owner = t.owner AND s.id = t.session_id
WHERE t.owner = :owner AND s.space = :space ORDER BY t.created_at DESC, t.id LIMIT :most
""")  # noqa: S608 - as above
RUNS = text("""
SELECT id::text, tool, status, coalesce(finished_at, created_at) FROM runs
WHERE owner = :owner AND space = :space ORDER BY created_at DESC, id LIMIT :most
""")


class Latest(NamedTuple):
    """One row of a listing: its id, of what kind it is, what it says, when it was written."""

    id: str
    kind: str
    about: str
    at: datetime


async def memories(tx: Transaction, most: int) -> list[Latest]:
    """Return the memories that were stored last; chunks of past conversations are none."""
    return await _newest(tx, MEMORIES, most)


async def thoughts(tx: Transaction, most: int) -> list[Latest]:
    """Return the thoughts that were stored last."""
    return await _newest(tx, THOUGHTS, most)


async def runs(tx: Transaction, most: int) -> list[Latest]:
    """Return the runs that began last; each is about how it stands."""
    return await _newest(tx, RUNS, most)


async def _newest(tx: Transaction, statement: TextClause, most: int) -> list[Latest]:
    values = {"owner": tx.owner, "space": tx.space, "most": most}
    return [Latest(*row) for row in await tx.tuples(statement, values)]
