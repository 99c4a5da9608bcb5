"""Runs the operations of LangGraph's store interface; an item with a text is also a memory."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from langgraph.store.base import (
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
)

from reasonloom.contracts.base import CONTENT_LIMIT
from reasonloom.contracts.caller import Caller
from reasonloom.errors import Deadlocked
from reasonloom.nodes.execution import Loom
from reasonloom.nodes.memory.calendar.terms import names_a_day
from reasonloom.nodes.memory.embedding import embed_many, sector_views
from reasonloom.nodes.memory.new_memory import complete_memory
from reasonloom.stores.database import Transaction
from reasonloom.stores.memory import items, memories, revisions
from reasonloom.stores.memory.items import HeldItem, ItemSearch, LabelPattern
from reasonloom.stores.memory.memories import NewMemory, column_values
from reasonloom.stores.pipelines import together
from reasonloom.text.hidden_characters import remove_hidden

TOOL = "store"
"""The tool that items' memories have as their origin."""

TRIES = 3
SWEPT = 100
"""Expired items that are deleted with each write."""

REWORDED = ("content", "keywords", "salience", "token_count", "dates", "valid_from")
"""Columns of a memory that follow from a new text."""


@dataclass(frozen=True, slots=True)
class Write:
    """An item to store or delete, and its memory if it has a text."""

    operation: PutOp
    memory: NewMemory | None = None


async def run_operations(loom: Loom, caller: Caller, operations: Sequence[Op]) -> list[Result]:
    """Run validated operations in one transaction; return their results, in order.

    Reads see what was stored before. Of several writes to a key, the last counts.

    Raises:
        EmbedderUnavailable: a search has a query, and the embedder is unavailable.
        DatabaseUnavailable: the connection was lost; nothing was stored.
    """
    at = loom.clock()
    puts = {(op.namespace, op.key): op for op in operations if isinstance(op, PutOp)}
    reads = {place: op for place, op in enumerate(operations) if not isinstance(op, PutOp)}
    queries = [op.query for op in reads.values() if isinstance(op, SearchOp) and op.query]
    vectors = dict(zip(queries, await loom.embedder.embed(queries), strict=True)) if queries else {}
    writes = await _writes(loom, caller, list(puts.values()), at)
    results: list[Result] = [None] * len(operations)
    if not operations:
        return results
    for tries_left in reversed(range(TRIES)):
        try:
            async with loom.database.begin(caller, searching=bool(queries), once=not writes) as tx:
                found = await together(*(_read(tx, loom, op, vectors, at) for op in reads.values()))
                if writes:
                    await _write(tx, loom, writes, at)
            break
        except Deadlocked:
            if not tries_left:
                raise
    for place, result in zip(reads, found, strict=True):
        results[place] = result
    return results


async def sweep(loom: Loom, caller: Caller) -> int:
    """Delete the owner's expired items with their memories; return how many."""
    total, swept = 0, SWEPT
    while swept == SWEPT:
        async with loom.database.begin(caller) as tx:
            await memories.hold_owner(tx)
            swept, left = await items.sweep(tx, loom.clock(), size=SWEPT)
            if left:
                await memories.erase_many(tx, left)
        total += swept
    return total


def searchable_text(operation: PutOp) -> str:
    """Return the text by which an item is found, empty if it is not to be found.

    By default that is the whole value as JSON, or its only field if that is a string.
    """
    value = dict(operation.value or {})
    if not value or operation.index is False:
        return ""
    if operation.index is not None:
        texts = [text for path in operation.index for text in get_text_at_path(value, path)]
    elif len(value) == 1 and isinstance(only := next(iter(value.values())), str):
        texts = [only]
    else:
        texts = get_text_at_path(value, "$")
    text, _ = remove_hidden("\n".join(texts))
    return text[:CONTENT_LIMIT].strip()


async def _writes(loom: Loom, caller: Caller, puts: Sequence[PutOp], at: datetime) -> list[Write]:
    texts = [searchable_text(op) for op in puts]
    views = [sector_views(text) if text else {} for text in texts]
    vectors, _ = await embed_many(loom.embedder, views)
    return [
        Write(op, _memory(loom, caller, op, text, vector, at) if text else None)
        for op, text, vector in zip(puts, texts, vectors or [{}] * len(puts), strict=True)
    ]


def _memory(
    loom: Loom,
    caller: Caller,
    operation: PutOp,
    text: str,
    vectors: dict[str, list[float]],
    at: datetime,
) -> NewMemory:
    return complete_memory(
        text,
        sector="episodic" if names_a_day(text, at.date()) else "semantic",
        created_at=at,
        vectors=vectors,
        model=loom.embedder.model,
        effect=uuid4(),
        principal=caller.owner,
        tool=TOOL,
        source_kind="user",
        project=caller.project,
        other_metadata={"namespace": list(operation.namespace), "key": operation.key},
    )


async def _read(
    tx: Transaction, loom: Loom, operation: Op, vectors: dict[str, list[float]], at: datetime
) -> Result:
    refreshes = not loom.settings.read_only
    match operation:
        case GetOp():
            refresh = operation.refresh_ttl and refreshes
            found = await items.get(tx, operation.namespace, operation.key, at=at, refresh=refresh)
            return Item(**_fields(found)) if found else None
        case SearchOp():
            wanted = ItemSearch(
                operation.namespace_prefix,
                conditions_of(operation.filter or {}),
                vectors[operation.query] if operation.query else None,
                loom.embedder.model,
                operation.limit,
                operation.offset,
            )
            refresh = operation.refresh_ttl and refreshes
            page = await items.search(tx, wanted, at=at, refresh=refresh)
            return [SearchItem(**_fields(each), score=each.score) for each in page]
        case ListNamespacesOp():
            patterns = [
                LabelPattern(each.path, at_end=each.match_type == "suffix")
                for each in operation.match_conditions or ()
            ]
            return await items.namespaces(
                tx,
                patterns,
                depth=operation.max_depth,
                limit=operation.limit,
                offset=operation.offset,
                at=at,
            )
    raise TypeError(type(operation).__name__)


def conditions_of(given: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return the conditions of a filter: a field, an operator and a value as JSON."""
    return [
        (name, operator, json.dumps(value))
        for name, wanted in given.items()
        for operator, value in (wanted if isinstance(wanted, dict) else {"$eq": wanted}).items()
    ]


def _fields(item: items.StoredItem) -> dict[str, Any]:
    return {
        "namespace": tuple(item.namespace),
        "key": item.key,
        "value": item.value,
        "created_at": item.created_at,
        "updated_at": item.updated_at,
    }


async def _write(tx: Transaction, loom: Loom, writes: Sequence[Write], at: datetime) -> None:
    """Store and delete items and their memories; the owner's row is locked throughout."""
    places = [(each.operation.namespace, each.operation.key) for each in writes]
    _, (_, gone), *before = await together(
        items.hold_owner(tx),
        items.sweep(tx, at, size=SWEPT),
        *(items.held(tx, namespace, key, at) for namespace, key in places),
    )
    ids = await together(*(_store_memory(tx, *each) for each in zip(writes, before, strict=True)))
    left = await together(
        *(_store_item(tx, *each, at) for each in zip(writes, before, ids, strict=True))
    )
    if gone := [*gone, *(memory_id for each in left for memory_id in each)]:
        await memories.erase_many(tx, gone)


async def _store_memory(tx: Transaction, write: Write, before: HeldItem | None) -> int | None:
    """Store the memory of an item, or change the one that it had; return its id."""
    memory = write.memory
    if memory is None:
        return None
    if before is None or before.memory_id is None:
        return await memories.store(tx, memory)
    values = column_values(memory)
    await revisions.rewrite(tx, before.memory_id, {name: values[name] for name in REWORDED})
    model = memory.model or ""
    await revisions.replace_vectors(tx, before.memory_id, memory.vectors, model)
    return before.memory_id


async def _store_item(
    tx: Transaction, write: Write, before: HeldItem | None, memory_id: int | None, at: datetime
) -> list[int]:
    """Store or delete an item; return the memory that it had and has no more."""
    op = write.operation
    if op.value is None:
        return await items.delete(tx, op.namespace, op.key)
    await items.put(
        tx,
        op.namespace,
        op.key,
        json.dumps(op.value, ensure_ascii=False),
        memory_id=memory_id,
        ttl=op.ttl,
        created_at=before.created_at if before else at,
        at=at,
    )
    had = before.memory_id if before else None
    return [had] if had is not None and memory_id is None else []
