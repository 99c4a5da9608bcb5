"""Many memories at once: what an import or a benchmark stores."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, bindparam, text

from reasonloom.stores.memory.memories import NewMemory
from reasonloom.stores.vectors import distinct

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

SHAPE = {
    "id": "bigint", "effect": "uuid", "content": "text", "sector": "text", "event_type": "text",
    "source_kind": "text", "principal": "text", "tool": "text", "salience": "float8",
    "importance": "float8", "decay_rate": "float8", "token_count": "int",
    "created_at": "timestamptz", "session_id": "uuid", "project": "text", "confidence": "float8",
    "keywords": "text[]", "tags": "text[]", "dates": "text[]", "category": "text",
    "context": "text", "run_id": "uuid",
}  # fmt: skip
"""The columns of a new memory with their types; all others are made by the database."""

HOLD = text("""
INSERT INTO owners (owner) VALUES (:owner)
ON CONFLICT (owner) DO UPDATE SET last_memory = owners.last_memory RETURNING last_memory
""")
"""Whoever stores holds the owner's row until it commits: ids and effects seen after are whole."""

KNOWN = text(
    "SELECT effect, id FROM memories WHERE owner = :owner AND effect = ANY(:effects)"
).bindparams(bindparam("effects", type_=ARRAY(Uuid)))
COUNT = text("""
UPDATE owners SET last_memory = last_memory + :new, memory_count = memory_count + :new
WHERE owner = :owner
""")
STORE = text(f"""
INSERT INTO memories (owner, space, last_accessed, {", ".join(SHAPE)})
SELECT :owner, :space, created_at, {", ".join(SHAPE)}
FROM json_to_recordset(CAST(:rows AS json)) AS r (
    {", ".join(f"{name} {kind}" for name, kind in SHAPE.items())})
ORDER BY id
""")  # noqa: S608 - names of columns, no values
EMBED = text("""
INSERT INTO embeddings (owner, memory_id, model, sectors, embedding)
SELECT :owner, id, :model, sectors, CAST(vector AS halfvec) FROM unnest(
    CAST(:ids AS bigint[]), CAST(:sectors AS smallint[]), CAST(:vectors AS text[])
) AS v (id, sectors, vector)
""")


async def store_many(tx: Transaction, memories: Sequence[NewMemory]) -> list[int]:
    """Store memories with their vectors; return their ids, in the order given.

    The transaction is the batch: all of `memories` are stored with it or none. A few hundred
    at a time are fastest. An effect that was stored before, or that stands in the batch
    twice, is stored once and gives the id that it has; so a batch may be sent again. New
    memories get the owner's next numbers in the order given, and follow each other in their
    sessions in that order; a session must exist. No two are taken for the same because their
    contents are: only `effect` tells. No waypoints are made.
    """
    if not memories:
        return []
    held = await tx.first(HOLD, {"owner": tx.owner})
    assert held is not None  # noqa: S101 - it was there or has been made
    effects = list(dict.fromkeys(memory.effect for memory in memories))
    known = await tx.all(KNOWN, {"owner": tx.owner, "effects": effects})
    ids: dict[UUID, int] = {UUID(str(row.effect)): int(row.id) for row in known}
    new: list[NewMemory] = []
    for memory in memories:
        if memory.effect not in ids:
            new.append(memory)
            ids[memory.effect] = int(held.last_memory) + len(new)
    if new:
        await _write(tx, new, ids)
    return [ids[memory.effect] for memory in memories]


async def _write(tx: Transaction, new: Sequence[NewMemory], ids: dict[UUID, int]) -> None:
    await tx.run(COUNT, {"owner": tx.owner, "new": len(new)})
    rows = [_row(memory, ids[memory.effect]) for memory in new]
    values = {"owner": tx.owner, "space": tx.space, "rows": json.dumps(rows)}
    await tx.run(STORE, values)
    for model in dict.fromkeys(memory.model for memory in new if memory.vectors):
        await _embed(tx, [memory for memory in new if memory.model == model], ids)


async def _embed(tx: Transaction, new: Sequence[NewMemory], ids: dict[UUID, int]) -> None:
    """Write the vectors of memories of one model."""
    owners: list[int] = []
    sectors: list[int] = []
    vectors: list[str] = []
    for memory in new:
        shared, texts = distinct(memory.vectors)
        owners += [ids[memory.effect]] * len(texts)
        sectors += shared
        vectors += texts
    values = {"ids": owners, "sectors": sectors, "vectors": vectors}
    await tx.run(EMBED, {"owner": tx.owner, "model": new[0].model, **values})


def _row(memory: NewMemory, memory_id: int) -> dict[str, object]:
    """Return a memory as JSON can hold it."""
    row = {name: getattr(memory, name) for name in SHAPE if name != "id"}
    plain = {name: str(value) if isinstance(value, UUID) else value for name, value in row.items()}
    return {
        **plain,
        "id": memory_id,
        "created_at": memory.created_at.isoformat(),
        "keywords": list(memory.keywords),
        "tags": list(memory.tags),
        "dates": list(memory.dates),
    }
