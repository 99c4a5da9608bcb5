"""Stores basins and their members between clusterings."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np

from reasonloom.stores.database import Database, Transaction
from reasonloom.stores.memory.memories import hold_owner
from reasonloom.stores.mental_models.basin_memories import KINDS, PRESENT, Vectors
from reasonloom.stores.statements import load, values_of
from reasonloom.stores.vectors import vector_literal

SQL = load(__file__, present=PRESENT)
BATCH = 5_000


@dataclass(frozen=True, slots=True)
class Basin:
    """A cluster of memories without its members.

    Attributes:
        named_by: the language model that named it, or `terms`.
        centroid: the mean of its core members' vectors, normalised to length 1.
        coherence: the mean cosine similarity of these to the centroid.
        bound: the minimum cosine similarity to the centroid for a memory to join.
    """

    id: UUID
    name: str
    named_by: str
    keywords: list[str]
    model: str
    coherence: float
    bound: float
    centroid: Vectors
    formed_at: datetime | None = None
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class BasinRun:
    """When and from how many memories basins were formed, and the last memories processed."""

    formed_at: datetime
    model: str
    memories: int
    formed_through: int
    joined_through: int


@dataclass(frozen=True, slots=True)
class KnownBasins:
    """All basins of an owner, the countable members of each, and the last run, if any."""

    basins: list[Basin]
    members: Mapping[UUID, Mapping[int, float]]
    run: BasinRun | None = None


async def basins(tx: Transaction, ids: Sequence[UUID] | None = None) -> list[Basin]:
    """Return the owner's basins, or those of `ids` that exist."""
    named = {} if ids is None else {"ids": list(ids)}
    rows = await tx.all(SQL.all if ids is None else SQL.some, named)
    return [_basin(row._asdict()) for row in rows]


def _basin(row: Mapping[str, Any]) -> Basin:
    centroid = np.fromstring(row["centroid"].strip("[]"), dtype=np.float32, sep=",")
    return Basin(**{**row, "centroid": centroid})


async def last_changed(tx: Transaction) -> datetime | None:
    """Return when the owner's basins last changed, None if there are none."""
    row = await tx.first(SQL.changed)
    return row.at if row else None


async def members(tx: Transaction) -> dict[UUID, dict[int, float]]:
    """Return the countable members of each basin, with their strengths."""
    values = {"kinds": list(KINDS)}
    found: dict[UUID, dict[int, float]] = {}
    for basin, memory, strength in await tx.tuples(SQL.members, values):
        found.setdefault(basin, {})[memory] = strength
    return found


async def last_run(tx: Transaction) -> BasinRun | None:
    """Return the last clustering, None if there was none."""
    return await tx.row(BasinRun, SQL.run)


async def known(tx: Transaction) -> KnownBasins:
    """Return everything that clustering needs to know about the existing basins."""
    return KnownBasins(await basins(tx), await members(tx), await last_run(tx))


async def hold(tx: Transaction) -> BasinRun | None:
    """Lock the owner's row, as every memory write does; return the last run."""
    await hold_owner(tx)
    return await last_run(tx)


async def replace(
    tx: Transaction,
    formed: Sequence[Basin],
    joined: Mapping[UUID, Mapping[int, float]],
    at: datetime,
) -> None:
    """Replace the owner's basins and their members."""
    await tx.run(SQL.gone, {"ids": [each.id for each in formed]})
    await tx.run(SQL.empty)
    for each in formed:
        centroid = vector_literal(each.centroid.tolist())
        await tx.run(SQL.keep, {**values_of(each), "at": at, "centroid": centroid})
    await join(tx, ((basin, one, how) for basin in joined for one, how in joined[basin].items()))


async def join(tx: Transaction, joined: Iterable[tuple[UUID, int, float]]) -> None:
    """Add existing memories to basins."""
    rows = list(joined)
    for start in range(0, len(rows), BATCH):
        names, ids, strengths = zip(*rows[start : start + BATCH], strict=True)
        values = {"basins": list(names), "ids": list(ids), "strengths": list(strengths)}
        await tx.run(SQL.join, values)


async def note(tx: Transaction, run: BasinRun) -> None:
    """Record a clustering run and the memories it covered."""
    await tx.run(SQL.note, values_of(run))


async def claim_owner(database: Database, *, at: datetime, due: datetime) -> str | None:
    """Claim the owner checked least recently, before `due`, and mark it as checked.

    Nobody else claims a marked owner. If the process dies, the owner is late until due again.
    """

    async def claimed(part: Database) -> str | None:
        async with part.recovering() as tx:
            row = await tx.first(SQL.claim, {"at": at, "due": due})
        return str(row.owner) if row else None

    async for owner in database.on_each(claimed):
        if owner is not None:
            return owner
    return None
