"""Files of past conversations: how far each was read, and from where cutting goes on."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.statements import load

VOID = "void:"
"""Before the path of a transcript whose file reads otherwise now, until that is read."""

SQL = load(__file__, void=VOID)


@dataclass(frozen=True, slots=True)
class TranscriptRow:
    """A file that was read; `position` and `state` are None before its first batch.

    `head` is a digest of its first bytes. `skipped` counts lines that were not taken, by reason.
    `state` holds the cutter's state and what else goes on from one reading to the next; its
    `step` counts the batches stored.
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


async def find(tx: Transaction, path: str) -> tuple[TranscriptRow | None, TranscriptRow | None]:
    """Return the transcript of this path, and that of its file before it was rewritten."""
    rows = await tx.all(SQL.find, {"paths": [path, VOID + path]})
    known = {row.path: _row(row) for row in rows}
    return known.get(path), known.get(VOID + path)


async def like(tx: Transaction, head: str, path: str) -> Sequence[TranscriptRow]:
    """Return transcripts of other paths whose files begin with the same bytes, newest first."""
    rows = await tx.all(SQL.like_head, {"head": head, "path": path})
    return [_row(row) for row in rows]


async def make(tx: Transaction, rows: Sequence[TranscriptRow]) -> None:
    """Create transcripts; a path that has one keeps it."""
    new = [{"id": str(r.id), "path": r.path, "form": r.form, "head": r.head} for r in rows]
    if new:
        await tx.run(SQL.make, {"rows": json.dumps(new)})


async def hold(tx: Transaction, ids: Sequence[UUID]) -> dict[UUID, int]:
    """Hold transcripts until the transaction ends; return their steps, without those gone."""
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
    """Record that transcripts are linked, unless more of one was stored meanwhile."""
    done = [{"id": str(row.id), "step": row.step} for row in rows]
    await tx.run(SQL.settle, {"rows": json.dumps(done)})


async def move(tx: Transaction, transcript: UUID, path: str) -> bool:
    """Move a transcript to another path; False where that has one already."""
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


def _row(row: Any) -> TranscriptRow:
    return TranscriptRow(
        id=UUID(str(row.id)),
        path=row.path,
        form=row.form,
        head=row.head,
        position=row.position,
        state=row.state,
        size=row.size,
        skipped=row.skipped,
    )
