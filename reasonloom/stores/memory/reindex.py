"""Finds memories without vectors of the embedder in use, and stores their new vectors.

Vectors of two models are never compared: a memory without vectors of the model in use is
found only by its words. Old vectors stay until all of the owner's memories have new ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reasonloom.stores.database import Transaction
from reasonloom.stores.statements import load
from reasonloom.stores.vectors import embedding_rows

PROBES = 1
"""Ids probed in addition to the oldest: only the newest, since every recall probes."""

LARGEST_ID = 2**63 - 1

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Coverage:
    """The number of memories of a space, including hidden ones, and of those without vectors."""

    memories: int
    lacking: int


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A memory without vectors; `state` changes whenever the texts to embed change."""

    id: int
    content: str
    context: str | None
    tags: list[str]
    state: str


async def foreign_models(tx: Transaction, model: str) -> list[str]:
    """Return the models of memories of this owner that have no vectors of `model`.

    Cheap enough for every recall: it probes only the owner's oldest and newest memory. `reindex`
    works from the newest to the oldest, so that the oldest shows foreign models until the end.
    A few foreign ones among many of ours may be missed; `coverage` counts them all.
    """
    return await tx.column(SQL.foreign, {"model": model, "probes": PROBES})


async def coverage(tx: Transaction, model: str) -> Coverage:
    """Count the memories of this space, and those without vectors of `model`."""
    row = await tx.one(SQL.count, {"model": model})
    return Coverage(row.memories, row.lacking)


async def models(tx: Transaction) -> dict[str, int]:
    """Return how many of the owner's memories, in all spaces, have vectors of each model."""
    return dict(await tx.tuples(SQL.models))


async def next_lacking(
    tx: Transaction, model: str, *, before: int, size: int
) -> Sequence[Unembedded]:
    """Return the newest memories with ids below `before` that lack vectors of `model`."""
    return await tx.rows(Unembedded, SQL.batch, {"model": model, "before": before, "size": size})


async def embed(
    tx: Transaction,
    memories: Sequence[Unembedded],
    vectors: Mapping[int, Mapping[str, Sequence[float]]],
    model: str,
) -> int:
    """Store the vectors of memories that have not changed since they were read; return how many."""
    seen = {"ids": [each.id for each in memories], "states": [each.state for each in memories]}
    held = await tx.column(SQL.hold, {"model": model, **seen})
    if held:
        rows = embedding_rows({memory_id: vectors[memory_id] for memory_id in held})
        await tx.run(SQL.embed, {"model": model, **rows})
    return len(held)


async def drop_others(tx: Transaction, model: str, *, size: int) -> int:
    """Remove vectors of other models from memories that have their own of `model`."""
    return await tx.run(SQL.drop, {"model": model, "size": size})
