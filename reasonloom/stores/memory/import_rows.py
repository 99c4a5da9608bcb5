"""Many memories at once: what an import or a benchmark stores."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid5

from sqlalchemy import ARRAY, Uuid, bindparam, select, text

from reasonloom.stores.memory.decay import WORDS_STAY
from reasonloom.stores.memory.memories import NewMemory
from reasonloom.stores.sessions import sessions
from reasonloom.stores.tables import Session
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

NEXT_IDS = text("""
INSERT INTO owners (owner) VALUES (:owner)
ON CONFLICT (owner) DO UPDATE SET last_memory = owners.last_memory RETURNING last_memory
""")
"""Whoever stores holds the owner's row until it commits: ids and effects seen after are whole."""

STORED_EFFECTS = text(
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
    held = await tx.first(NEXT_IDS, {"owner": tx.owner})
    assert held is not None  # noqa: S101 - it was there or has been made
    effects = list(dict.fromkeys(memory.effect for memory in memories))
    known = await tx.all(STORED_EFFECTS, {"owner": tx.owner, "effects": effects})
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


HOLD = text("""
INSERT INTO owners (owner) VALUES (:owner)
ON CONFLICT (owner) DO UPDATE SET last_memory = owners.last_memory
""")
KNOWN = text("""
SELECT effect, id FROM memories
WHERE owner = :owner AND space = :space AND effect = ANY(:effects)
""").bindparams(bindparam("effects", type_=ARRAY(Uuid)))
SETTLE = text("""
UPDATE memories m SET strength = coalesce(r.strength, m.strength), trust = r.trust,
    access_count = coalesce(r.access_count, 0),
    last_accessed = coalesce(r.last_accessed, m.last_accessed), decayed_at = r.decayed_at
FROM json_to_recordset(CAST(:rows AS json)) AS r (id bigint, strength float8, trust float8,
    access_count int, last_accessed timestamptz, decayed_at timestamptz)
WHERE m.owner = :owner AND m.id = r.id
""")
HIDE = text("""
UPDATE memories m SET deleted_at = r.deleted_at
FROM json_to_recordset(CAST(:rows AS json)) AS r (id bigint, deleted_at timestamptz)
WHERE m.owner = :owner AND m.id = r.id
""")
LINK = text("""
INSERT INTO edges (owner, source_id, target_id, type, weight, origin, created_at)
SELECT :owner, r.source, r.target, r.type, r.weight, r.origin, coalesce(r.created_at, now())
FROM json_to_recordset(CAST(:rows AS json)) AS r (source bigint, target bigint, type text,
    weight float8, origin text, created_at timestamptz)
JOIN memories s ON s.owner = :owner AND s.id = r.source
JOIN memories t ON t.owner = :owner AND t.id = r.target
WHERE r.source <> r.target
ON CONFLICT DO NOTHING
""")


async def hold_owner(tx: Transaction) -> None:
    """Let nobody else store for this owner until the transaction ends."""
    await tx.run(HOLD, {"owner": tx.owner})


async def stored_effects(tx: Transaction, effects: Iterable[UUID]) -> dict[UUID, int]:
    """Return the memories of this space that effects have stored already, hidden ones too."""
    values = {"owner": tx.owner, "space": tx.space, "effects": list(effects)}
    return {UUID(str(row.effect)): int(row.id) for row in await tx.all(KNOWN, values)}


async def session_for(
    tx: Transaction, *, name: str | None, known_as: UUID | None, project: str | None
) -> UUID:
    """Return the session of this name, or the one that stands for `known_as`; made where new."""
    if name is not None or known_as is None:
        made = uuid5(UUID(int=0), f"{tx.owner}/{tx.space}/{name}")
        return await sessions.open_session(tx, made, name=name, project=project)
    here = select(Session.id).where(
        Session.owner == tx.owner, Session.space == tx.space, Session.id == known_as
    )
    if await tx.first(here):
        return known_as
    made = uuid5(known_as, f"import/{tx.owner}/{tx.space}")
    return await sessions.open_session(tx, made, project=project)


async def settle(
    tx: Transaction, rows: Sequence[Mapping[str, Any]], hidden: Sequence[Mapping[str, Any]]
) -> None:
    """Give new memories the strength, trust and accesses that they had, and hide some.

    A row is {id, strength, trust, access_count, last_accessed, decayed_at}, None where a new
    memory's own stays; a hidden one {id, deleted_at}. Times are ISO 8601.
    """
    if hidden:
        await tx.run(HIDE, {"owner": tx.owner, "rows": json.dumps(hidden)})
    await tx.run(WORDS_STAY)
    await tx.run(SETTLE, {"owner": tx.owner, "rows": json.dumps(rows)})


async def link_many(tx: Transaction, rows: Sequence[Mapping[str, Any]]) -> int:
    """Make links that are not there; return how many are new.

    A row is {source, target, type, weight, origin, created_at}; what leads to a memory that
    is gone is left out.
    """
    return await tx.run(LINK, {"owner": tx.owner, "rows": json.dumps(rows)})
