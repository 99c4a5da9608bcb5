"""Consolidation: finds similar old episodes, and records the summary that replaces them.

A memory is consolidated while a `derived_from` edge of our origin leads to it from a summary that
is not hidden.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.memory.decay import FLOOR, WEAKENED
from reasonloom.stores.memory.memories import hold_owner
from reasonloom.stores.statements import load
from reasonloom.stores.vectors import SECTOR_BIT

SEMANTIC = SECTOR_BIT["semantic"]
FACTOR = 0.5
"""The share of its strength that an original keeps, but never below the decay floor."""
SQL = load(__file__, semantic=SEMANTIC, floor=FLOOR, factor=FACTOR, weakened=WEAKENED)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two similar memories of one project."""

    one: int
    other: int
    cosine: float


@dataclass(frozen=True, slots=True)
class Episode:
    """An old memory to summarise."""

    id: int
    content: str
    created_at: datetime
    project: str | None
    session_id: UUID | None
    importance: float
    salience: float
    confidence: float
    tags: list[str]


@dataclass(frozen=True, slots=True)
class Old:
    """A window of old episodes: their number, and the id of the last."""

    last: int
    memories: int


async def window(tx: Transaction, *, before: datetime, after: int, most: int) -> Old:
    """Return the next window of old episodes above the id `after`."""
    values = {"before": before, "effect": None, "after": after, "most": most}
    row = await tx.one(SQL.window, values)
    return Old(row.last, row.memories)


async def pairs(
    tx: Transaction,
    model: str,
    *,
    before: datetime,
    after: int,
    most: int,
    alike: float,
    most_pairs: int,
) -> list[Pair]:
    """Return the similar pairs of the next `most` old episodes, most similar first.

    `alike` is the minimum cosine similarity of their semantic views.
    """
    values = {"model": model, "before": before, "effect": None}
    more = {"after": after, "most": most, "alike": alike, "pairs": most_pairs}
    return await tx.rows(Pair, SQL.pairs, {**values, **more})


async def read(tx: Transaction, ids: Sequence[int], effect: UUID | None = None) -> list[Episode]:
    """Return the episodes of `ids` that exist and are in no summary other than that of `effect`."""
    return await tx.rows(Episode, SQL.read, {"ids": list(ids), "effect": effect})


async def hold(tx: Transaction, ids: Sequence[int], effect: UUID) -> list[Episode]:
    """Lock and return the episodes that exist and are in no summary other than that of `effect`."""
    await hold_owner(tx)
    return await tx.rows(Episode, SQL.hold, {"ids": list(ids), "effect": effect})


async def derive(
    tx: Transaction, summary: int, ids: Sequence[int], *, at: datetime, run_id: UUID
) -> int:
    """Link a summary to its originals and halve their strength; return how many are new."""
    values = {"summary": summary, "ids": list(ids), "at": at}
    return await tx.run(SQL.derive, {**values, "run_id": run_id})
