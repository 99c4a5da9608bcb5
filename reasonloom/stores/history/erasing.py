"""Erases for good what was forgotten: memories, all derived from them, and what became empty."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, bindparam, text

from reasonloom.stores.history.soft_deletes import ERASING, HOLD_OWNER, SPENT

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

DUE = text("""
SELECT number FROM forgets WHERE owner = :owner AND chunks > 0 AND forgotten_at <= :before
ORDER BY number
""")
CLAIM = text(f"""
UPDATE forgets SET asked = '{{"{ERASING}": true}}'
WHERE owner = :owner AND number = :number AND chunks > 0 RETURNING number
""")  # noqa: S608 - a constant, no values
NEXT = text("""
SELECT c.memory_id, c.key, c.transcript, m.session_id FROM chunks c
JOIN memories m ON m.owner = :owner AND m.id = c.memory_id
WHERE c.owner = :owner AND c.forgotten = :number ORDER BY c.memory_id LIMIT :size
""")
ALL = text("SELECT memory_id FROM chunks WHERE owner = :owner AND forgotten = :number")
ERASE = text("""
WITH gone AS (DELETE FROM memories WHERE owner = :owner AND id = ANY(:ids) RETURNING id)
UPDATE owners SET memory_count = greatest(memory_count - (SELECT count(*) FROM gone), 0)
WHERE owner = :owner
""")
CUTTERS = text("""
UPDATE transcripts SET state = jsonb_set(state, '{cutting}', 'null')
WHERE owner = :owner AND id = :transcript AND EXISTS (
    SELECT FROM jsonb_each_text(CASE WHEN jsonb_typeof(state -> 'cutting' -> 'given') = 'object'
        THEN state -> 'cutting' -> 'given' END) AS given (place, key)
    WHERE given.key = ANY(CAST(:keys AS text[])))
""").bindparams(bindparam("transcript", type_=Uuid))
"""What is cut next begins anew where the chunk that was still open is erased: its text is there."""

BASINS = text("""
DELETE FROM basins b WHERE b.owner = :owner AND NOT EXISTS (
    SELECT FROM basin_members m WHERE m.owner = :owner AND m.basin = b.id)
""")
SESSIONS = text("""
DELETE FROM sessions s WHERE s.owner = :owner AND s.id = ANY(:sessions) AND s.mode IS NULL
    AND NOT EXISTS (SELECT FROM memories m WHERE m.owner = :owner AND m.session_id = s.id)
    AND NOT EXISTS (SELECT FROM thoughts t WHERE t.owner = :owner AND t.session_id = s.id)
""").bindparams(bindparam("sessions", type_=ARRAY(Uuid)))
TRANSCRIPTS = text("""
DELETE FROM transcripts t WHERE t.owner = :owner AND t.id = ANY(:transcripts)
    AND NOT EXISTS (SELECT FROM chunks c WHERE c.owner = :owner AND c.transcript = t.id)
""").bindparams(bindparam("transcripts", type_=ARRAY(Uuid)))
PROJECTS = text("""
DELETE FROM projects p USING forgets f
WHERE f.owner = :owner AND f.number = :number AND p.owner = :owner AND p.slug = f.project
    AND NOT EXISTS (SELECT FROM chunks c WHERE c.owner = :owner AND c.project = p.slug)
""")
LEFT = text("""
SELECT count(*) FROM chunks WHERE owner = :owner AND forgotten = :number
""")


async def due(tx: Transaction, before: datetime) -> list[int]:
    """Return the numbers of what was forgotten up to `before` and is not erased."""
    return [row[0] for row in await tx.tuples(DUE, {"owner": tx.owner, "before": before})]


async def claim(tx: Transaction, number: int) -> list[int]:
    """Let a forget be undone no more; return its memories, none where it was undone meanwhile."""
    here = {"owner": tx.owner, "number": number}
    if await tx.first(CLAIM, here) is None:
        return []
    return [row[0] for row in await tx.tuples(ALL, here)]


async def erase_some(tx: Transaction, number: int, size: int) -> tuple[int, set[UUID], set[UUID]]:
    """Erase the next `size` chunks of a claimed forget with all that hangs on their memories.

    Returns how many, the sessions that they were of, and their transcripts.
    """
    await tx.all(HOLD_OWNER, {"owner": tx.owner})
    rows = await tx.tuples(NEXT, {"owner": tx.owner, "number": number, "size": size})
    await tx.run(ERASE, {"owner": tx.owner, "ids": [row[0] for row in rows]})
    keys: dict[UUID, list[str]] = {}
    for _, key, transcript, _ in rows:
        keys.setdefault(UUID(str(transcript)), []).append(key)
    for transcript, some in keys.items():
        await tx.run(CUTTERS, {"owner": tx.owner, "transcript": transcript, "keys": some})
    sessions = {UUID(str(session)) for *_, session in rows if session is not None}
    return len(rows), sessions, set(keys)


async def sweep(
    tx: Transaction, number: int, sessions: Sequence[UUID], transcripts: Sequence[UUID]
) -> None:
    """Remove what was left empty, and the forget itself once nothing of it remains."""
    here = {"owner": tx.owner}
    await tx.all(HOLD_OWNER, here)
    await tx.run(BASINS, here)
    await tx.run(SESSIONS, {**here, "sessions": list(sessions)})
    await tx.run(TRANSCRIPTS, {**here, "transcripts": list(transcripts)})
    await tx.run(PROJECTS, {**here, "number": number})
    row = await tx.first(LEFT, {**here, "number": number})
    if row is None or not row[0]:
        await tx.run(SPENT, {**here, "number": number})
