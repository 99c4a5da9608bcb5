"""Strength: how it decays with time, and how an access raises it again.

A stored strength is valid for one moment, the later of the last access and the last decay. Writers
first decay it to the present, so that it depends on when the memory was accessed and never on how
often the job ran.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from reasonloom.stores.database import Database, Transaction
from reasonloom.stores.statements import load

FLOOR = 0.05
"""Decay never weakens a memory below this, and no memory is deleted for being weak."""

GAIN = 0.05
"""The share of its gap to 1 that a memory regains on access; half as much if the previous access
was less than an hour ago (massed repetition teaches less than spaced)."""

SINCE = "greatest(last_accessed, decayed_at)"
DAYS = f"greatest(0, extract(epoch FROM CAST(:at AS timestamptz) - {SINCE})::float8 / 86400)"
RATE = "least(decay_rate, 1000) * (2 - importance) / (2 + 2 * ln(1 + access_count::float8))"
"""Per day: decay_rate (1 - importance / 2) / (1 + ln(1 + accesses)), written so that no number
of a memory is too small or too large for Postgres.

Full importance halves it. The more often a memory was accessed the slower it fades, with the
logarithm of the count, as base-level activation grows with practice in ACT-R (Anderson and
Schooler 1991)."""

WEAKENED = f"""CASE WHEN strength <= {FLOOR} OR decay_rate < 1e-9 THEN strength
    ELSE greatest({FLOOR}, strength * exp(-least(100, {RATE} * {DAYS}))) END"""
"""The strength at `:at`; values explicitly set below the floor stay."""

ACCESSED = f"""access_count = access_count + 1,
    last_accessed = greatest(last_accessed, CAST(:at AS timestamptz)),
    strength = least(1, 1 - (1 - {WEAKENED}) * CASE
        WHEN CAST(:at AS timestamptz) - last_accessed < interval '1 hour'
        THEN {1 - GAIN / 2} ELSE {1 - GAIN} END)"""
"""The changes of an access at `:at` to a memory, as SET clauses of an UPDATE."""

SQL = load(
    __file__,
    floor=FLOOR,
    accessed=ACCESSED,
    weakened=WEAKENED,
    weakened_at_moment=WEAKENED.replace(":at", "given.moment"),
    rate=RATE,
    since=SINCE,
)
WORDS_STAY = SQL.words_stay


@dataclass(frozen=True, slots=True)
class Place:
    """One space of one owner."""

    owner: str
    space: str


@dataclass(frozen=True, slots=True)
class Weakened:
    """How many memories were weakened, and the sums of their strengths before and after."""

    memories: int = 0
    before: float = 0.0
    after: float = 0.0

    def __add__(self, other: Weakened) -> Weakened:
        """Return the sum of both."""
        return Weakened(
            self.memories + other.memories, self.before + other.before, self.after + other.after
        )


@dataclass(frozen=True, slots=True)
class Cursor:
    """The position of an iteration over a space."""

    key: int = -(2**63)
    id: int = 0


async def claim(database: Database, *, at: datetime, due: datetime) -> list[Place]:
    """Claim up to a hundred spaces of any owner that were last decayed before `due`.

    Nobody else claims them until they are due again. If the process dies, they are late and then
    catch up, since every memory records the time of its strength.
    """

    async def claimed(part: Database) -> list[Place]:
        async with part.recovering() as tx:
            return await tx.rows(Place, SQL.claim, {"at": at, "due": due})

    return [place async for places in database.on_each(claimed) for place in places]


async def places(database: Database) -> list[Place]:
    """Return every space of every owner."""

    async def of_part(part: Database) -> list[Place]:
        async with part.recovering() as tx:
            return await tx.rows(Place, SQL.spaces)

    found = [place async for places in database.on_each(of_part) for place in places]
    return list(dict.fromkeys(found))  # a move leaves an owner in two databases for a moment


async def weaken(
    tx: Transaction, at: datetime, cursor: Cursor, *, size: int
) -> tuple[Weakened, Cursor | None]:
    """Decay the next `size` memories of the space; the cursor is None once all are done."""
    await tx.run(SQL.words_stay)
    values = {"at": at, "size": size}
    row = await tx.first(SQL.weaken, {**values, "key": cursor.key, "id": cursor.id})
    if row is None:
        return Weakened(), None
    return Weakened(row.memories, row.before, row.after), Cursor(row.content_key, row.id)


async def foresee(tx: Transaction, at: datetime) -> Weakened:
    """Return what decaying the space would change, without changing it."""
    return Weakened(*await tx.one(SQL.foresee, {"at": at}))


async def settle(tx: Transaction, memory_id: int, at: datetime) -> float:
    """Decay a locked memory's strength to now, before its decay rate changes; return it."""
    row = await tx.one(SQL.settle, {"id": memory_id, "at": at})
    return float(row.strength)


async def reinforce(tx: Transaction, ids: Sequence[int], at: datetime) -> None:
    """Count an access to each memory and strengthen it a little, never above 1."""
    await tx.run(SQL.reinforce, {"ids": list(ids), "at": at})


class StrengthBasis(NamedTuple):
    """The stored strength, its time, and its decay per day."""

    strength: float
    since: datetime
    rate: float


async def strength_basis(tx: Transaction, memory_id: int) -> StrengthBasis | None:
    """Return the basis of a memory's strength, None if there is no such memory."""
    row = await tx.first(SQL.strength_basis, {"id": memory_id})
    return StrengthBasis(float(row.strength), row.since, float(row.rate)) if row else None


async def strength_at(
    tx: Transaction, memory_id: int, moments: Sequence[datetime]
) -> list[tuple[datetime, float]]:
    """Return the strength at each of `moments`, assuming no further accesses."""
    values = {"id": memory_id, "moments": list(moments)}
    return [(when, float(strength)) for when, strength in await tx.tuples(SQL.strength, values)]
