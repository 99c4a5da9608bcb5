"""Stores, reads by id, hides, restores and erases memories.

The row classes here name the columns of the table: `MemoryFields` has those that all readers need,
`NewMemory` those that writers provide.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.statements import columns, load, parameters, values_of
from reasonloom.stores.vectors import distinct, embedding_rows

NOT_PAST = """NOT EXISTS (SELECT FROM chunks c
    WHERE c.owner = memories.owner AND c.memory_id = memories.id)"""
"""Chunks of past conversations are hidden and erased only by `history`, with their own rows."""

NO_COLUMNS = ("vectors", "model")

SOURCE = """coalesce(CAST(:source AS bigint),
    (SELECT id FROM memories WHERE owner = :owner AND effect = CAST(:source_effect AS uuid)))"""
"""The memory given by `source_values`."""


@dataclass(frozen=True, slots=True)
class MemoryFields:
    """The fields that every reader of a memory gets; scores are in 0..1, times timezone-aware.

    `other_metadata` has the metadata keys that only its caller interprets, `valid_from` is when
    the memory was said.
    """

    id: int
    content: str
    created_at: datetime
    valid_from: datetime
    last_accessed: datetime
    strength: float
    salience: float
    confidence: float
    sector: str
    keywords: list[str]
    tags: list[str]
    category: str | None
    context: str | None
    other_metadata: dict[str, Any]
    importance: float
    source_kind: str
    principal: str
    tool: str
    trust: float
    session_id: UUID | None
    run_id: UUID | None
    superseded_by: int | None


@dataclass(frozen=True, slots=True)
class KnownMemory(MemoryFields):
    """A memory with its provenance."""

    access_count: int


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory to store; times are timezone-aware, scores in 0..1.

    `effect` identifies the write: the same effect twice stores one memory. `dates` are the terms
    by which questions with a date find it. All fields except the last two are columns.
    """

    effect: UUID
    content: str
    sector: str
    event_type: str
    source_kind: str
    principal: str
    tool: str
    salience: float
    importance: float
    decay_rate: float
    token_count: int
    created_at: datetime
    valid_from: datetime
    session_id: UUID | None = None
    project: str | None = None
    confidence: float = 1.0
    keywords: Sequence[str] = ()
    tags: Sequence[str] = ()
    dates: Sequence[str] = ()
    category: str | None = None
    context: str | None = None
    other_metadata: Mapping[str, Any] = field(default_factory=dict)
    run_id: UUID | None = None
    vectors: Mapping[str, Sequence[float]] = field(default_factory=dict)
    model: str | None = None


SQL = load(
    __file__,
    known=columns(KnownMemory),
    new=columns(NewMemory, without=NO_COLUMNS),
    new_parameters=parameters(NewMemory, without=NO_COLUMNS),
    not_past=NOT_PAST,
    source=SOURCE,
)


def column_values(memory: NewMemory) -> dict[str, Any]:
    """Return the columns of a new memory by name, with sequences as lists."""
    given = {name: value for name, value in values_of(memory).items() if name not in NO_COLUMNS}
    arrays = {name: list(given[name]) for name in ("keywords", "tags", "dates")}
    return {**given, **arrays}


async def store(tx: Transaction, memory: NewMemory) -> int:
    """Store a memory with its vectors; return its id, the existing one if its effect is known."""
    sectors, vectors = distinct(memory.vectors)
    embedded = {"model": memory.model, "sectors": sectors, "vectors": vectors}
    row = await tx.one(SQL.store, {**column_values(memory), **embedded})
    return int(row.id)


async def store_vectors(
    tx: Transaction, vectors: Mapping[int, Mapping[str, Sequence[float]]], model: str | None
) -> None:
    """Store vectors of `model` by memory and sector; the memories must have none of it yet."""
    await tx.run(SQL.store_vectors, {"model": model, **embedding_rows(vectors)})


def source_values(source: int | UUID) -> dict[str, Any]:
    """Return the parameters of `SOURCE` for a memory's id, or for its effect.

    By its effect a memory can be linked in the round trip that stores it, before its id is known.
    """
    by_effect = isinstance(source, UUID)
    return {
        "source": None if by_effect else source,
        "source_effect": source if by_effect else None,
    }


async def link(
    tx: Transaction,
    source: int | UUID,
    targets: Mapping[int, float],
    *,
    kind: str,
    origin: str,
    run_id: UUID | None = None,
) -> int:
    """Link a memory to existing others with weights in 0..1; return how many links are new.

    `source` is its id or its effect.
    """
    if not targets:
        return 0
    values = {
        **source_values(source),
        "targets": list(targets),
        "weights": list(targets.values()),
        "kind": kind,
        "origin": origin,
        "run_id": run_id,
    }
    return await tx.run(SQL.link, values)


async def read_many(tx: Transaction, ids: Sequence[int]) -> dict[int, KnownMemory]:
    """Return the memories of `ids` that exist in this space and are not hidden."""
    return {each.id: each for each in await tx.rows(KnownMemory, SQL.read_many, {"ids": list(ids)})}


async def hold_owner(tx: Transaction) -> None:
    """Lock the owner's row, as every statement that stores or removes memories does.

    Otherwise two memories that are linked both ways could be removed concurrently, with each
    transaction waiting for the other's link.
    """
    await tx.all(SQL.hold_owner)


async def hold_many(tx: Transaction, ids: Sequence[int], *, hidden: bool = False) -> list[int]:
    """Lock the memories of `ids` that exist, with or without hidden ones; return their ids."""
    await hold_owner(tx)
    return await tx.column(SQL.hold_many, {"ids": list(ids), "hidden": hidden})


async def hide(tx: Transaction, memory_id: int, at: datetime) -> bool:
    """Mark a memory as deleted; return False if there is no such memory."""
    return await tx.run(SQL.hide, {"id": memory_id, "at": at}) == 1


async def hide_many(tx: Transaction, ids: Sequence[int], at: datetime) -> int:
    """Mark locked memories as deleted; return how many were not deleted yet."""
    return await tx.run(SQL.hide_many, {"ids": list(ids), "at": at})


async def restore(tx: Transaction, memory_id: int) -> bool:
    """Restore a hidden memory; return False if there is no such memory."""
    return await tx.run(SQL.restore, {"id": memory_id}) == 1


async def restore_hidden_at(tx: Transaction, at: datetime) -> int:
    """Restore the memories that were hidden together at this exact time; return how many."""
    return await tx.run(SQL.restore_hidden, {"at": at})


async def erase(tx: Transaction, memory_id: int) -> bool:
    """Delete a memory, hidden or not, with its vectors and links; return False if there is none."""
    await hold_owner(tx)
    erased = await tx.run(SQL.erase, {"id": memory_id}) == 1
    if erased:
        await tx.run(SQL.count, {"gone": 1})
    return erased


async def erase_many(tx: Transaction, ids: Sequence[int]) -> int:
    """Delete locked memories with their vectors and links; return how many."""
    gone = await tx.run(SQL.erase_many, {"ids": list(ids)})
    await tx.run(SQL.count, {"gone": gone})
    return gone
