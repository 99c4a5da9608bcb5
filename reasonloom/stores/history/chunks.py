"""Chunks of past conversations: many stored, renewed in place or removed by one statement each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import Uuid, bindparam, text

from reasonloom.stores.memory.import_rows import EMBED, store_many
from reasonloom.stores.memory.memories import NewMemory
from reasonloom.stores.vectors import distinct

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

SHAPE = {
    "memory_id": "bigint", "key": "text", "transcript": "uuid", "project": "text",
    "session": "text", "agent": "text", "first_turn": "int", "last_turn": "int",
    "ordinal": "int", "started_at": "timestamptz", "ended_at": "timestamptz", "at": "timestamptz",
    "tokens": "int", "continues": "boolean", "files": "text[]", "errors": "text[]",
    "names": "text[]", "spawns": "text[]",
}  # fmt: skip
RECORDS = ", ".join(f"{name} {kind}" for name, kind in SHAPE.items())
CHANGING = [name for name in SHAPE if name not in {"memory_id", "at"}]

KNOWN = text("""
SELECT key, memory_id, transcript, forgotten IS NOT NULL AS forgotten FROM chunks
WHERE owner = :owner AND key = ANY(CAST(:keys AS text[]))
""")
OF_TRANSCRIPT = text("""
SELECT key, memory_id, transcript, forgotten IS NOT NULL AS forgotten FROM chunks
WHERE owner = :owner AND transcript = :transcript ORDER BY memory_id
""").bindparams(bindparam("transcript", type_=Uuid))
ADD = text(f"""
INSERT INTO chunks (owner, {", ".join(SHAPE)}) SELECT :owner, {", ".join(SHAPE)}
FROM json_to_recordset(CAST(:rows AS json)) AS r ({RECORDS})
""")  # noqa: S608 - names of columns, no values
RENEW_MEMORIES = text("""
UPDATE memories m SET content = r.content, token_count = r.token_count, dates = r.dates,
    effect = r.effect, session_id = r.session_id, project = r.project,
    created_at = coalesce(r.at, m.created_at)
FROM json_to_recordset(CAST(:rows AS json)) AS r (memory_id bigint, content text,
    token_count int, dates text[], effect uuid, session_id uuid, project text, at timestamptz)
WHERE m.owner = :owner AND m.id = r.memory_id
""")
RENEW = text(f"""
UPDATE chunks c SET {", ".join(f"{name} = r.{name}" for name in CHANGING)},
    at = CASE WHEN r.started_at IS NULL THEN c.at ELSE r.at END
FROM json_to_recordset(CAST(:rows AS json)) AS r ({RECORDS})
WHERE c.owner = :owner AND c.memory_id = r.memory_id
""")  # noqa: S608 - names of columns, no values
UNEMBED = text(
    "DELETE FROM embeddings WHERE owner = :owner AND memory_id = ANY(CAST(:ids AS bigint[]))"
)
DROP = text("""
WITH gone AS (
    DELETE FROM memories WHERE owner = :owner AND id = ANY(CAST(:ids AS bigint[])) RETURNING id
), counted AS (
    UPDATE owners SET memory_count = greatest(0, memory_count - (SELECT count(*) FROM gone))
    WHERE owner = :owner
)
SELECT c.project, c.session, c.agent, c.at FROM chunks c
WHERE c.owner = :owner AND c.memory_id = ANY(CAST(:ids AS bigint[]))
""")
ADOPT = text("""
UPDATE chunks SET transcript = :transcript
WHERE owner = :owner AND memory_id = ANY(CAST(:ids AS bigint[]))
""").bindparams(bindparam("transcript", type_=Uuid))


@dataclass(frozen=True, slots=True)
class Known:
    """A chunk that is stored: its memory, whose file it is of, and whether it is forgotten."""

    memory_id: int
    transcript: UUID
    forgotten: bool


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """What stands beside a chunk's memory; `at` is aware, see the table for the rest."""

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
        """Where it stands in the order of its session."""
        return Lane(self.project, self.session, self.agent, self.at)


@dataclass(frozen=True, slots=True)
class Lane:
    """A session's main conversation or one of its sub-agents', from a moment on."""

    project: str
    session: str
    agent: str | None
    at: datetime


async def known(tx: Transaction, keys: Sequence[str]) -> dict[str, Known]:
    """Return the chunks of these keys that are stored, forgotten ones too, by key."""
    rows = await tx.all(KNOWN, {"owner": tx.owner, "keys": list(keys)})
    return {row.key: Known(row.memory_id, UUID(str(row.transcript)), row.forgotten) for row in rows}


async def of_transcript(tx: Transaction, transcript: UUID) -> dict[str, Known]:
    """Return all chunks of a transcript by key, in the order in which they were stored."""
    rows = await tx.all(OF_TRANSCRIPT, {"owner": tx.owner, "transcript": transcript})
    return {row.key: Known(row.memory_id, transcript, row.forgotten) for row in rows}


async def add(tx: Transaction, new: Sequence[tuple[NewMemory, ChunkRow]]) -> list[int]:
    """Store chunks with their memories; return the memories' ids, in the order given."""
    if not new:
        return []
    ids = await store_many(tx, [memory for memory, _ in new])
    rows = [_row(row, key) for (_, row), key in zip(new, ids, strict=True)]
    await tx.run(ADD, {"owner": tx.owner, "rows": json.dumps(rows)})
    return ids


async def renew(tx: Transaction, changed: Sequence[tuple[int, NewMemory, ChunkRow]]) -> None:
    """Let stored chunks be others in place: their memories keep number, edges and clusters.

    Where the new one has no time of its own, the time that it had stays.
    """
    if not changed:
        return
    memories = [_renewed(key, memory, row) for key, memory, row in changed]
    rows = [_row(row, key) for key, _, row in changed]
    await tx.run(RENEW_MEMORIES, {"owner": tx.owner, "rows": json.dumps(memories)})
    await tx.run(RENEW, {"owner": tx.owner, "rows": json.dumps(rows)})
    await tx.run(UNEMBED, {"owner": tx.owner, "ids": [key for key, _, _ in changed]})
    await _embed(tx, [(key, memory) for key, memory, _ in changed if memory.vectors])


async def drop(tx: Transaction, ids: Sequence[int]) -> list[Lane]:
    """Remove chunks with their memories, vectors and edges; return where they stood."""
    if not ids:
        return []
    rows = await tx.all(DROP, {"owner": tx.owner, "ids": list(ids)})
    return [Lane(row.project, row.session, row.agent, row.at) for row in rows]


async def adopt(tx: Transaction, ids: Sequence[int], transcript: UUID) -> None:
    """Let chunks belong to another transcript that holds them, too."""
    if ids:
        await tx.run(ADOPT, {"owner": tx.owner, "ids": list(ids), "transcript": transcript})


async def _embed(tx: Transaction, renewed: Sequence[tuple[int, NewMemory]]) -> None:
    """Write the vectors of memories that are stored; all of one model."""
    if not renewed:
        return
    owners: list[int] = []
    sectors: list[int] = []
    vectors: list[str] = []
    for key, memory in renewed:
        shared, texts = distinct(memory.vectors)
        owners += [key] * len(texts)
        sectors += shared
        vectors += texts
    values = {"ids": owners, "sectors": sectors, "vectors": vectors}
    await tx.run(EMBED, {"owner": tx.owner, "model": renewed[0][1].model, **values})


def _renewed(key: int, memory: NewMemory, row: ChunkRow) -> dict[str, object]:
    return {
        "memory_id": key,
        "content": memory.content,
        "token_count": memory.token_count,
        "dates": list(memory.dates),
        "effect": str(memory.effect),
        "session_id": str(memory.session_id) if memory.session_id else None,
        "project": memory.project,
        "at": row.at.isoformat() if row.started_at else None,
    }


def _row(row: ChunkRow, key: int) -> dict[str, object]:
    """Return a chunk as JSON can hold it."""
    plain = {name: getattr(row, name) for name in SHAPE if name != "memory_id"}
    times = {name: plain[name] for name in ("started_at", "ended_at", "at")}
    written = {name: at.isoformat() if at else None for name, at in times.items()}
    return {**plain, "transcript": str(row.transcript), "memory_id": key, **written}
