"""Soft deletes of past conversations: chunks are hidden together and restored together."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.history.chunk_lists import SEEN, WITHIN, ChunkFilter
from reasonloom.stores.memory.memories import hold_owner
from reasonloom.stores.statements import load

SQL = load(__file__, seen=SEEN, within=WITHIN)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The chunks forgotten by one call, which can be restored."""

    number: int
    project: str
    asked: Mapping[str, Any]
    chunks: int
    forgotten_at: datetime


@dataclass(frozen=True, slots=True)
class Preview:
    """The beginning of a chunk and its time, None if its transcript has none."""

    content: str
    time: datetime | None


async def ids(tx: Transaction, chosen: ChunkFilter) -> list[int]:
    """Return the ids of the selected chunks."""
    return await tx.column(SQL.ids, chosen.values())


async def previews(tx: Transaction, numbers: Sequence[int], head: int) -> dict[int, Preview]:
    """Return the first `head` characters of chunks."""
    values = {"ids": list(numbers), "head": head}
    return {
        key: Preview(content, time) for key, content, time in await tx.tuples(SQL.previews, values)
    }


async def forget(
    tx: Transaction, ids: Sequence[int], project: str, request: Mapping[str, Any], at: datetime
) -> Forgotten:
    """Hide chunks with their memories under a new number.

    Chunks that another call hid meanwhile remain assigned to that call.
    """
    await hold_owner(tx)
    row = await tx.one(SQL.next)
    number = int(row.number)
    noted = {"project": project, "asked": json.dumps(request), "chunks": len(ids), "at": at}
    await tx.run(SQL.note, {"number": number, **noted})
    hidden = await tx.first(SQL.hide, {"number": number, "ids": list(ids), "at": at})
    chunks = int(hidden.chunks) if hidden else 0
    if chunks != len(ids):
        await tx.run(SQL.counted, {"number": number, "chunks": chunks})
    return Forgotten(number, project, request, chunks, at)


async def undoable(tx: Transaction) -> list[Forgotten]:
    """Return the calls that can be undone, last forgotten first."""
    return await tx.rows(Forgotten, SQL.list)


async def hold_forgotten(tx: Transaction, number: int) -> Forgotten | None:
    """Lock and return what one call forgot; None if it cannot be undone."""
    return await tx.row(Forgotten, SQL.hold, {"number": number})


async def undo(tx: Transaction, number: int) -> int:
    """Restore the chunks of a locked forget; return how many."""
    row = await tx.first(SQL.restore, {"number": number})
    await tx.run(SQL.spent, {"number": number})
    return int(row.chunks) if row else 0


async def due(tx: Transaction, before: datetime) -> list[int]:
    """Return the numbers of the forgets up to `before` that are not erased yet."""
    return await tx.column(SQL.due, {"before": before})


async def claim(tx: Transaction, number: int) -> list[int]:
    """Make a forget final; return its memories, none if it was undone meanwhile."""
    here = {"number": number}
    if await tx.first(SQL.claim, here) is None:
        return []
    return await tx.column(SQL.all, here)


async def erase_some(tx: Transaction, number: int, size: int) -> tuple[int, set[UUID], set[UUID]]:
    """Erase the next `size` chunks of a claimed forget with everything that references them.

    Returns the number of chunks, their sessions, and their transcripts.
    """
    await hold_owner(tx)
    rows = await tx.tuples(SQL.next_claim, {"number": number, "size": size})
    await tx.run(SQL.erase, {"ids": [row[0] for row in rows]})
    keys: dict[UUID, list[str]] = {}
    for _, key, transcript, _ in rows:
        keys.setdefault(UUID(str(transcript)), []).append(key)
    for transcript, some in keys.items():
        await tx.run(SQL.cutters, {"transcript": transcript, "keys": some})
    sessions = {UUID(str(session)) for *_, session in rows if session is not None}
    return len(rows), sessions, set(keys)


async def sweep(
    tx: Transaction, number: int, sessions: Sequence[UUID], transcripts: Sequence[UUID]
) -> None:
    """Remove rows that were left empty, and the forget itself once no chunk of it remains."""
    await hold_owner(tx)
    await tx.run(SQL.basins)
    await tx.run(SQL.sessions, {"sessions": list(sessions)})
    await tx.run(SQL.transcripts, {"transcripts": list(transcripts)})
    await tx.run(SQL.projects, {"number": number})
    row = await tx.first(SQL.left, {"number": number})
    if row is None or not row[0]:
        await tx.run(SQL.spent, {"number": number})
