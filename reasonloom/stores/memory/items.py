"""The items of the key-value store: values under a namespace and a key.

An item with a text to find is also a memory. While the memory is hidden the item is not found
either, and it is deleted with the memory.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from reasonloom.stores.database import Transaction
from reasonloom.stores.statements import load
from reasonloom.stores.vectors import SECTOR_BIT, vector_literal

LAST_LABEL = "\U0010ffff"
"""Sorts after every label: it is a noncharacter, which no label contains."""

WHOLE = 2**31 - 1
"""A depth that no namespace has."""

SCORED = "1 - (e.embedding <=> CAST(:vector AS halfvec))"
UNSCORED = "CAST(NULL AS float8)"
WITH_VECTORS = f"""JOIN embeddings e ON e.owner = i.owner AND e.memory_id = i.memory_id
    AND e.model = :model AND e.sectors & {SECTOR_BIT["semantic"]} <> 0"""

FOUND, WANTED = "CAST(i.value AS jsonb) -> CAST(:name_{n} AS text)", "CAST(:wanted_{n} AS jsonb)"
SAME_TYPE = f"jsonb_typeof({FOUND}) = jsonb_typeof({WANTED}) AND "
OPERATORS: Mapping[str, str] = {
    "$eq": f"{FOUND} = {WANTED}",
    "$ne": f"{FOUND} <> {WANTED}",
    "$gt": f"{SAME_TYPE}{FOUND} > {WANTED}",
    "$gte": f"{SAME_TYPE}{FOUND} >= {WANTED}",
    "$lt": f"{SAME_TYPE}{FOUND} < {WANTED}",
    "$lte": f"{SAME_TYPE}{FOUND} <= {WANTED}",
}
"""The conditions on a field of a value. A value without the field meets none of them."""

SQL = load(__file__)
Namespace = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoredItem:
    """An item."""

    namespace: list[str]
    key: str
    value: dict[str, Any]
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class FoundItem(StoredItem):
    """An item with its cosine similarity to the query, None without a query."""

    score: float | None


@dataclass(frozen=True, slots=True)
class HeldItem:
    """What an overwritten item leaves: when it was created, and its memory while current."""

    created_at: datetime
    memory_id: int | None


@dataclass(frozen=True, slots=True)
class ItemSearch:
    """A search below a namespace; `conditions` are a field, an operator and a value as JSON.

    With a `vector`, only items with a vector of `model` are found, the most similar first; else
    the last written first.
    """

    prefix: Namespace
    conditions: Sequence[tuple[str, str, str]] = ()
    vector: Sequence[float] | None = None
    model: str | None = None
    limit: int = 10
    offset: int = 0


@dataclass(frozen=True, slots=True)
class LabelPattern:
    """Labels, of which `*` matches any one, at the start or the end of a namespace."""

    labels: Namespace
    at_end: bool


async def get(
    tx: Transaction, namespace: Namespace, key: str, *, at: datetime, refresh: bool
) -> StoredItem | None:
    """Return an item, None if there is none; `refresh` starts its time to live anew."""
    values = {**_place(namespace, key), "at": at, "refresh": refresh}
    return await tx.row(StoredItem, SQL.get, values)


async def search(
    tx: Transaction, wanted: ItemSearch, *, at: datetime, refresh: bool
) -> list[FoundItem]:
    """Return the items that meet every condition; `refresh` starts their time to live anew."""
    values: dict[str, Any] = {
        "prefix": list(wanted.prefix),
        "last": LAST_LABEL,
        "at": at,
        "refresh": refresh,
        "limit": wanted.limit,
        "offset": wanted.offset,
    }
    filters = []
    for n, (name, operator, value) in enumerate(wanted.conditions):
        filters.append(f"AND {OPERATORS[operator].format(n=n)}")
        values |= {f"name_{n}": name, f"wanted_{n}": value}
    scored = wanted.vector is not None
    if wanted.vector is not None:
        values |= {"vector": vector_literal(wanted.vector), "model": wanted.model}
    statement = SQL.fill(
        "search",
        score=SCORED if scored else UNSCORED,
        joined=WITH_VECTORS if scored else "",
        filters=" ".join(filters),
    )
    return await tx.rows(FoundItem, statement, values)


async def namespaces(
    tx: Transaction,
    patterns: Sequence[LabelPattern],
    *,
    depth: int | None,
    limit: int,
    offset: int,
    at: datetime,
) -> list[Namespace]:
    """Return the distinct namespaces that match every pattern, cut to `depth` labels, sorted."""
    conditions: list[str] = []
    values: dict[str, Any] = {}
    for pattern in patterns:
        size = len(pattern.labels)
        conditions.append(f"AND cardinality(i.namespace) >= {size}")
        for place, label in enumerate(pattern.labels, start=1):
            if label != "*":
                index = f"cardinality(i.namespace) - {size - place}" if pattern.at_end else place
                name = f"label_{len(values)}"
                conditions.append(f"AND i.namespace[{index}] = :{name}")
                values[name] = label
    statement = SQL.fill("namespaces", conditions=" ".join(conditions))
    cut = {"depth": depth or WHOLE, "limit": limit, "offset": offset, "at": at}
    return [tuple(found) for found in await tx.column(statement, {**values, **cut})]


async def hold_owner(tx: Transaction) -> None:
    """Lock the owner's row, which need not exist yet, as `memories.hold_owner` does."""
    await tx.run(SQL.hold_owner)


async def held(tx: Transaction, namespace: Namespace, key: str, at: datetime) -> HeldItem | None:
    """Return what is stored under a key, None if nothing is."""
    return await tx.row(HeldItem, SQL.held, {**_place(namespace, key), "at": at})


async def put(
    tx: Transaction,
    namespace: Namespace,
    key: str,
    value: str,
    *,
    memory_id: int | None,
    ttl: float | None,
    created_at: datetime,
    at: datetime,
) -> None:
    """Store or replace an item; `value` is JSON, `ttl` in minutes from now."""
    columns = {"value": value, "memory_id": memory_id, "ttl": ttl}
    times = {"created_at": created_at, "at": at}
    await tx.run(SQL.put, {**_place(namespace, key), **columns, **times})


async def delete(tx: Transaction, namespace: Namespace, key: str) -> list[int]:
    """Delete an item; return the memory that it leaves, if any."""
    left = await tx.column(SQL.delete, _place(namespace, key))
    return [memory_id for memory_id in left if memory_id is not None]


async def sweep(tx: Transaction, at: datetime, *, size: int) -> tuple[int, list[int]]:
    """Delete up to `size` expired items; return how many, and the memories that they leave."""
    left = await tx.column(SQL.sweep, {"at": at, "size": size})
    return len(left), [memory_id for memory_id in left if memory_id is not None]


def _place(namespace: Namespace, key: str) -> dict[str, Any]:
    return {"namespace": list(namespace), "key": key}
