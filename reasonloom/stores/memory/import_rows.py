"""Stores many memories at once, as imports and benchmarks do, with their strengths and links."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

from reasonloom.stores.database import Transaction
from reasonloom.stores.memory.decay import WORDS_STAY
from reasonloom.stores.memory.memories import NO_COLUMNS, NewMemory, column_values, store_vectors
from reasonloom.stores.sessions import sessions
from reasonloom.stores.statements import columns, load

SQL = load(__file__, new=columns(NewMemory, without=NO_COLUMNS))


async def store_many(tx: Transaction, memories: Sequence[NewMemory]) -> list[int]:
    """Store memories with their vectors; return their ids, in the order given.

    The transaction is the batch: all of `memories` are stored, or none. Batches of a few hundred
    are fastest. An effect that was stored before, or that occurs twice, is stored once and yields
    its existing id, so a batch may be repeated. New memories get the owner's next numbers in the
    order given, which is also their order in their sessions; the sessions must exist. Equal
    contents are not merged, and no waypoints are created.
    """
    if not memories:
        return []
    held = await tx.one(SQL.hold_owner)
    effects = list(dict.fromkeys(memory.effect for memory in memories))
    ids: dict[UUID, int] = dict(await tx.tuples(SQL.effects, {"effects": effects}))
    new: list[NewMemory] = []
    for memory in memories:
        if memory.effect not in ids:
            new.append(memory)
            ids[memory.effect] = int(held.last_memory) + len(new)
    if new:
        await _write(tx, new, ids)
    return [ids[memory.effect] for memory in memories]


async def _write(tx: Transaction, new: Sequence[NewMemory], ids: dict[UUID, int]) -> None:
    await tx.run(SQL.count, {"new": len(new)})
    rows = [{**column_values(memory), "id": ids[memory.effect]} for memory in new]
    await tx.run(SQL.store, {"rows": json.dumps(rows, default=plain)})
    for model in dict.fromkeys(memory.model for memory in new if memory.vectors):
        of_model = {ids[memory.effect]: memory.vectors for memory in new if memory.model == model}
        await store_vectors(tx, of_model, model)


def plain(value: UUID | datetime) -> str:
    """Return a value in its JSON form."""
    return value.isoformat() if isinstance(value, datetime) else str(value)


async def hold_owner(tx: Transaction) -> None:
    """Lock the owner's row, creating it if needed, so that nobody else stores for this owner."""
    await tx.run(SQL.hold_owner)


async def stored_effects(tx: Transaction, effects: Iterable[UUID]) -> dict[UUID, int]:
    """Return the memories of this space that these effects stored, including hidden ones."""
    return dict(await tx.tuples(SQL.stored_effects, {"effects": list(effects)}))


async def session_for(
    tx: Transaction, *, name: str | None, known_as: UUID | None, project: str | None
) -> UUID:
    """Return the session with this name, or the one for `known_as`; create it if needed."""
    if name is not None or known_as is None:
        made = uuid5(UUID(int=0), f"{tx.owner}/{tx.space}/{name}")
        return await sessions.open_session(tx, made, name=name, project=project)
    if await tx.first(SQL.session, {"id": known_as}):
        return known_as
    made = uuid5(known_as, f"import/{tx.owner}/{tx.space}")
    return await sessions.open_session(tx, made, project=project)


async def settle(
    tx: Transaction, rows: Sequence[Mapping[str, Any]], hidden: Sequence[Mapping[str, Any]]
) -> None:
    """Set the original strength, trust and accesses of imported memories, and hide some of them.

    A row is {id, strength, trust, access_count, last_accessed, decayed_at}, None to keep the new
    memory's own value; a hidden one is {id, deleted_at}. Times are ISO 8601.
    """
    if hidden:
        await tx.run(SQL.hide, {"rows": json.dumps(hidden)})
    await tx.run(WORDS_STAY)
    await tx.run(SQL.settle, {"rows": json.dumps(rows)})


async def link_many(tx: Transaction, rows: Sequence[Mapping[str, Any]]) -> int:
    """Create missing links; return how many.

    A row is {source, target, type, weight, origin, created_at}; links to memories that no longer
    exist are skipped.
    """
    return await tx.run(SQL.link, {"rows": json.dumps(rows)})
