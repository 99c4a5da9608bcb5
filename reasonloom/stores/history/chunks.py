"""Stores, updates in place and removes chunks of past conversations in bulk."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.memory.import_rows import plain, store_many
from reasonloom.stores.memory.memories import NewMemory, store_vectors
from reasonloom.stores.statements import columns, load, values_of


@dataclass(frozen=True, slots=True)
class Known:
    """A stored chunk: its memory, its transcript, and whether it is forgotten."""

    memory_id: int
    transcript: UUID
    forgotten: bool


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """The columns of a chunk besides its memory; `at` is timezone-aware."""

    key: str
    transcript: UUID
    project: str
    session: str
    agent: str | None
    first_turn: int
    last_turn: int
    ordinal: int
    started_at: datetime | None
    ended_at: datetime | None
    at: datetime
    tokens: int
    continues: bool
    files: Sequence[str] = ()
    errors: Sequence[str] = ()
    names: Sequence[str] = ()
    spawns: Sequence[str] = ()

    @property
    def lane(self) -> Lane:
        """Its lane in its session, from its time on."""
        return Lane(self.project, self.session, self.agent, self.at)


@dataclass(frozen=True, slots=True)
class Lane:
    """A session's main conversation or that of one of its sub-agents, from a point in time on."""

    project: str
    session: str
    agent: str | None
    at: datetime


SQL = load(__file__, columns=columns(ChunkRow))


async def known(tx: Transaction, keys: Sequence[str]) -> dict[str, Known]:
    """Return the stored chunks with these keys, including forgotten ones, by key."""
    rows = await tx.tuples(SQL.known, {"keys": list(keys)})
    return {key: Known(*known) for key, *known in rows}


async def of_transcript(tx: Transaction, transcript: UUID) -> dict[str, Known]:
    """Return all chunks of a transcript by key, in the order in which they were stored."""
    rows = await tx.tuples(SQL.of_transcript, {"transcript": transcript})
    return {key: Known(*known) for key, *known in rows}


async def add(tx: Transaction, new: Sequence[tuple[NewMemory, ChunkRow]]) -> list[int]:
    """Store chunks with their memories; return the memories' ids, in the order given."""
    if not new:
        return []
    ids = await store_many(tx, [memory for memory, _ in new])
    rows = [_row(key, row) for (_, row), key in zip(new, ids, strict=True)]
    await tx.run(SQL.add, {"rows": json.dumps(rows, default=plain)})
    return ids


async def renew(tx: Transaction, changed: Sequence[tuple[int, NewMemory, ChunkRow]]) -> None:
    """Update stored chunks in place: their memories keep id, edges and clusters.

    If the new chunk has no time of its own, the old time stays.
    """
    if not changed:
        return
    memories = [_renewed(key, memory, row) for key, memory, row in changed]
    rows = [_row(key, row) for key, _, row in changed]
    await tx.run(SQL.renew_memories, {"rows": json.dumps(memories, default=plain)})
    await tx.run(SQL.renew, {"rows": json.dumps(rows, default=plain)})
    await tx.run(SQL.unembed, {"ids": [key for key, _, _ in changed]})
    vectors = {key: memory.vectors for key, memory, _ in changed if memory.vectors}
    if vectors:
        await store_vectors(tx, vectors, next(m.model for _, m, _ in changed if m.vectors))


async def drop(tx: Transaction, ids: Sequence[int]) -> list[Lane]:
    """Remove chunks with their memories, vectors and edges; return their lanes."""
    if not ids:
        return []
    return await tx.rows(Lane, SQL.drop, {"ids": list(ids)})


async def adopt(tx: Transaction, ids: Sequence[int], transcript: UUID) -> None:
    """Assign chunks to another transcript that contains them too."""
    if ids:
        await tx.run(SQL.adopt, {"ids": list(ids), "transcript": transcript})


def _renewed(key: int, memory: NewMemory, row: ChunkRow) -> dict[str, object]:
    return {
        "memory_id": key,
        "content": memory.content,
        "token_count": memory.token_count,
        "dates": list(memory.dates),
        "effect": memory.effect,
        "session_id": memory.session_id,
        "project": memory.project,
        "at": row.at if row.started_at else None,
    }


def _row(key: int, row: ChunkRow) -> dict[str, object]:
    return {"memory_id": key, **values_of(row)}
