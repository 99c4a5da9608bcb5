"""Forgets chunks of past conversations: hidden together, brought back together."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, bindparam, text

from reasonloom.stores.history.chunk_lists import SEEN, WITHIN, ChunkFilter

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.memory.search.scope import Nearness


IDS = text(f"SELECT c.memory_id FROM chunks c WHERE {SEEN} AND {WITHIN} ORDER BY c.memory_id")  # noqa: S608
LIKENESS = text(f"""
SELECT c.memory_id, 1 - min(e.embedding <=> CAST(:vector AS halfvec)) AS cosine
FROM chunks c JOIN embeddings e ON e.owner = :owner AND e.memory_id = c.memory_id
    AND e.model = :model
WHERE {SEEN} AND {WITHIN} GROUP BY c.memory_id
""")  # noqa: S608 - our own conditions, no values
PREVIEWS = text("""
SELECT m.id, left(m.content, :head) AS content, c.started_at AS time
FROM memories m JOIN chunks c ON c.owner = :owner AND c.memory_id = m.id
WHERE m.owner = :owner AND m.id = ANY(:ids)
""")
HOLD_OWNER = text("SELECT owner FROM owners WHERE owner = :owner FOR UPDATE")
NEXT = text("SELECT coalesce(max(number), 0) + 1 AS number FROM forgets WHERE owner = :owner")
NOTE = text("""
INSERT INTO forgets (owner, number, project, asked, chunks, forgotten_at)
VALUES (:owner, :number, :project, CAST(:asked AS jsonb), :chunks, :at)
""")
HIDE = text("""
WITH hidden AS (
    UPDATE chunks SET forgotten = :number
    WHERE owner = :owner AND memory_id = ANY(:ids) AND forgotten IS NULL RETURNING memory_id
), told AS (UPDATE memories SET deleted_at = :at
    WHERE owner = :owner AND id = ANY(:ids) AND id IN (SELECT memory_id FROM hidden)
    RETURNING id)
SELECT count(*) AS chunks FROM hidden
""")
COUNTED = text("UPDATE forgets SET chunks = :chunks WHERE owner = :owner AND number = :number")
ERASING = "erasing"
"""What a forget's `asked` says once its chunks are being erased: it can be undone no more."""

OPEN = f"chunks > 0 AND NOT asked ? '{ERASING}'"
LIST = text(f"""
SELECT number, project, asked, chunks, forgotten_at FROM forgets
WHERE owner = :owner AND {OPEN} ORDER BY number DESC
""")  # noqa: S608 - our own condition, no values
HOLD = text(f"""
SELECT number, project, asked, chunks, forgotten_at FROM forgets
WHERE owner = :owner AND number = :number AND {OPEN} FOR UPDATE
""")  # noqa: S608 - as above
RESTORE = text("""
WITH shown AS (
    UPDATE chunks SET forgotten = NULL WHERE owner = :owner AND forgotten = :number
    RETURNING memory_id
), told AS (UPDATE memories SET deleted_at = NULL
    WHERE owner = :owner AND id IN (SELECT memory_id FROM shown) RETURNING id)
SELECT count(*) AS chunks FROM shown
""")
SPENT = text("""
UPDATE forgets SET chunks = 0, project = '', asked = '{}' WHERE owner = :owner AND number = :number
""")
"""The row stays, so that no number is given twice."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What one call forgot and can be brought back."""

    number: int
    project: str
    asked: Mapping[str, Any]
    chunks: int
    forgotten_at: datetime


@dataclass(frozen=True, slots=True)
class Preview:
    """How a chunk begins, and when it was; `time` is None where its transcript told none."""

    content: str
    time: datetime | None


async def ids(tx: Transaction, chosen: ChunkFilter) -> list[int]:
    """Return the ids of the chunks that are meant."""
    return [row[0] for row in await tx.tuples(IDS, chosen.values(tx))]


async def likeness(tx: Transaction, chosen: ChunkFilter, near: Nearness) -> dict[int, float]:
    """Return the cosine of each chunk that is meant and has a vector of the model."""
    rows = await tx.tuples(LIKENESS, {**chosen.values(tx), **near.values()})
    return {key: float(cosine) for key, cosine in rows}


async def previews(tx: Transaction, numbers: Sequence[int], head: int) -> dict[int, Preview]:
    """Return the first `head` characters of chunks."""
    values = {"owner": tx.owner, "ids": list(numbers), "head": head}
    return {key: Preview(content, time) for key, content, time in await tx.tuples(PREVIEWS, values)}


async def forget(
    tx: Transaction, numbers: Sequence[int], project: str, asked: Mapping[str, Any], at: datetime
) -> Forgotten:
    """Hide chunks with their memories under a number of their own.

    Those that another call hid meanwhile stay that call's.
    """
    await tx.all(HOLD_OWNER, {"owner": tx.owner})
    row = await tx.first(NEXT, {"owner": tx.owner})
    assert row is not None  # noqa: S101 - a maximum always is
    number, here = int(row.number), {"owner": tx.owner, "number": int(row.number)}
    said = {"project": project, "asked": json.dumps(asked), "chunks": len(numbers), "at": at}
    await tx.run(NOTE, {**here, **said})
    hidden = await tx.first(HIDE, {**here, "ids": list(numbers), "at": at})
    chunks = int(hidden.chunks) if hidden else 0
    if chunks != len(numbers):
        await tx.run(COUNTED, {**here, "chunks": chunks})
    return Forgotten(number, project, asked, chunks, at)


async def undoable(tx: Transaction) -> list[Forgotten]:
    """Return what can be brought back, the last forgotten first."""
    return [Forgotten(*row) for row in await tx.tuples(LIST, {"owner": tx.owner})]


async def hold_forgotten(tx: Transaction, number: int) -> Forgotten | None:
    """Return a forget that can be undone, held; None where there is none such."""
    rows = await tx.tuples(HOLD, {"owner": tx.owner, "number": number})
    return Forgotten(*rows[0]) if rows else None


async def undo(tx: Transaction, number: int) -> int:
    """Bring back what a held forget hid; return how many chunks."""
    row = await tx.first(RESTORE, {"owner": tx.owner, "number": number})
    await tx.run(SPENT, {"owner": tx.owner, "number": number})
    return int(row.chunks) if row else 0


DUE = text("""
SELECT number FROM forgets WHERE owner = :owner AND chunks > 0 AND forgotten_at <= :before
ORDER BY number
""")
CLAIM = text(f"""
UPDATE forgets SET asked = '{{"{ERASING}": true}}'
WHERE owner = :owner AND number = :number AND chunks > 0 RETURNING number
""")  # noqa: S608 - a constant, no values
NEXT_CLAIM = text("""
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
    rows = await tx.tuples(NEXT_CLAIM, {"owner": tx.owner, "number": number, "size": size})
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
