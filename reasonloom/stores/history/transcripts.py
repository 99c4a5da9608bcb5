"""Files of past conversations: how far each was read, and where chunking continues."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.statements import columns, load

VOID = "void:"
"""Path prefix of a transcript whose file has been rewritten, until the new content is read."""


@dataclass(frozen=True, slots=True)
class TranscriptRow:
    """A file that was read; `position` and `state` are None before its first batch.

    `head` is a digest of its first bytes. `skipped` counts skipped lines by reason. `state` holds
    the chunker's state and other data that persists between reads; its `step` counts the stored
    batches.
    """

    id: UUID
    path: str
    form: str
    head: str | None = None
    position: Mapping[str, Any] | None = None
    state: Mapping[str, Any] | None = None
    size: int = 0
    skipped: Mapping[str, int] | None = None

    @property
    def step(self) -> int:
        """How many batches of it were stored."""
        return int((self.state or {}).get("step", 0))


SQL = load(__file__, void=VOID, columns=columns(TranscriptRow))


async def find(tx: Transaction, path: str) -> tuple[TranscriptRow | None, TranscriptRow | None]:
    """Return the transcript of this path, and the one of its file before it was rewritten."""
    rows = await tx.rows(TranscriptRow, SQL.find, {"paths": [path, VOID + path]})
    known = {row.path: row for row in rows}
    return known.get(path), known.get(VOID + path)


async def like(tx: Transaction, head: str, path: str) -> Sequence[TranscriptRow]:
    """Return transcripts of other paths whose files begin with the same bytes, newest first."""
    return await tx.rows(TranscriptRow, SQL.like_head, {"head": head, "path": path})


async def make(tx: Transaction, rows: Sequence[TranscriptRow]) -> None:
    """Create transcripts, except for paths that already have one."""
    new = [{"id": str(r.id), "path": r.path, "form": r.form, "head": r.head} for r in rows]
    if new:
        await tx.run(SQL.make, {"rows": json.dumps(new)})


async def hold(tx: Transaction, ids: Sequence[UUID]) -> dict[UUID, int]:
    """Lock transcripts until the transaction ends; return the steps of those that still exist."""
    rows = await tx.all(SQL.steps, {"ids": list(ids)})
    return {UUID(str(row.id)): int(row.step) for row in rows}


async def save(tx: Transaction, rows: Sequence[TranscriptRow]) -> None:
    """Store how far transcripts were read."""
    written = [
        {
            "id": str(row.id),
            "position": row.position,
            "state": row.state,
            "size": row.size,
            "skipped": row.skipped or {},
        }
        for row in rows
    ]
    await tx.run(SQL.save, {"rows": json.dumps(written)})


async def settle(tx: Transaction, rows: Sequence[TranscriptRow]) -> None:
    """Mark transcripts as linked, unless more of one was stored meanwhile."""
    done = [{"id": str(row.id), "step": row.step} for row in rows]
    await tx.run(SQL.settle, {"rows": json.dumps(done)})


async def move(tx: Transaction, transcript: UUID, path: str) -> bool:
    """Move a transcript to another path; return False if that path already has one."""
    return await tx.run(SQL.move, {"id": transcript, "path": path}) == 1


async def put_aside(tx: Transaction, row: TranscriptRow) -> UUID:
    """Set a transcript aside to read its file again; return the one that keeps its chunks."""
    _, aside = await find(tx, row.path)
    if aside is None:
        await move(tx, row.id, VOID + row.path)
        return row.id
    await tx.run(SQL.give_away, {"id": row.id, "heir": aside.id})
    await remove(tx, row.id)
    return aside.id


async def remove(tx: Transaction, transcript: UUID) -> None:
    """Remove a transcript with its remaining chunks."""
    await tx.run(SQL.delete, {"id": transcript})
