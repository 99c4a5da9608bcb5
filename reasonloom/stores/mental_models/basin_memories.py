"""The memories that are clustered, with the vectors of their plain contents."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from reasonloom.stores.database import Transaction
from reasonloom.stores.memory.memory_lists import MemoryFilter
from reasonloom.stores.memory.search.scope import CURRENT, VISIBLE, Scope
from reasonloom.stores.statements import load
from reasonloom.stores.vectors import SECTOR_BIT

KINDS = ("user", "tool", "transcript")
"""The kinds that are clustered; derived memories are not, as they repeat their sources."""

PRESENT = f"{VISIBLE} AND {CURRENT} AND m.space = :space"
"""A memory that counts as a member: in this space, neither hidden nor superseded."""

LONGEST = 90
"""Characters of a content shown on a map."""

SLOTS = 1 << 16
"""Hash values from which a sample picks."""

SQL = load(
    __file__, present=PRESENT, semantic=SECTOR_BIT["semantic"], longest=LONGEST, last_slot=SLOTS - 1
)
HEADER = 4
"""Bytes before the numbers in pgvector's binary form: the dimension, and two unused."""

Vectors = NDArray[np.float32]


async def embedded_ids(tx: Transaction, model: str, *, after: int = 0) -> list[int]:
    """Return the ids above `after` of the memories that have a vector of `model`, ascending."""
    return await tx.column(SQL.ids, {"kinds": list(KINDS), "model": model, "after": after})


async def vectors(tx: Transaction, model: str, ids: Sequence[int]) -> tuple[list[int], Vectors]:
    """Return those of `ids` that still exist, ascending, and their vectors of length 1."""
    rows = await tx.tuples(SQL.vectors, {"kinds": list(KINDS), "model": model, "ids": list(ids)})
    if not rows:
        return [], np.zeros((0, 0), dtype=np.float32)
    known = [row[0] for row in rows]
    read = np.stack([np.frombuffer(row[1], dtype=">f2", offset=HEADER) for row in rows])
    raw = read.astype(np.float32)
    lengths = np.linalg.norm(raw, axis=1, keepdims=True)
    return known, raw / np.maximum(lengths, 1e-12)


async def counted(tx: Transaction, after: int) -> tuple[int, int]:
    """Return the number of countable memories with ids up to `after`, and above it."""
    row = await tx.one(SQL.counted, {"kinds": list(KINDS), "after": after})
    return int(row.until), int(row.since)


async def contents(tx: Transaction, ids: Sequence[int], *, most: int) -> dict[int, str]:
    """Return the first `most` characters of the contents of memories."""
    return dict(await tx.tuples(SQL.contents, {"ids": list(ids), "most": most}))


@dataclass(frozen=True, slots=True)
class Sibling:
    """A memory in the basin of a found one, the `lead`, and their cosine similarity, 0..1."""

    id: int
    cosine: float
    lead: int
    basin: UUID


async def siblings(
    tx: Transaction,
    leads: Sequence[int],
    *,
    model: str,
    scope: Scope,
    most_basins: int,
    most: int,
) -> list[Sibling]:
    """Return members of the basins of `leads` within `scope`, without the leads themselves.

    Each of the first `most_basins` basins contributes the `most` most similar to its first lead.
    """
    values = {
        **scope.values(), "leads": list(leads), "model": model,
        "most_basins": most_basins, "most": most,
    }  # fmt: skip
    return await tx.rows(Sibling, SQL.fill("siblings", where=scope.where()), values)


class Point(NamedTuple):
    """A memory shown on a map."""

    id: int
    sector: str
    project: str | None
    content: str


class Sample(NamedTuple):
    """Memories and their vectors, one row each; `without` counts those without a vector."""

    points: list[Point]
    vectors: Vectors
    without: int


async def sample(
    tx: Transaction, chosen: MemoryFilter, model: str, *, total: int, most: int
) -> Sample:
    """Return about `most` of the `total` selected memories, the same ones on each call."""
    share = SLOTS if total <= most else SLOTS * most // total
    values = {**chosen.values(), "model": model, "most": most, "share": share}
    rows = await tx.tuples(SQL.fill("sample", where=chosen.where()), values)
    known = [row for row in rows if row[4] is not None]
    read = [np.frombuffer(row[4], dtype=">f2", offset=HEADER) for row in known]
    vectors = np.stack(read).astype(np.float32) if read else np.zeros((0, 0), dtype=np.float32)
    return Sample([Point(*row[:4]) for row in known], vectors, len(rows) - len(known))


async def basin_names(tx: Transaction, ids: Sequence[int]) -> dict[int, str]:
    """Return the name of the strongest basin of each memory that has one."""
    return dict(await tx.tuples(SQL.basin_names, {"ids": list(ids)}))
