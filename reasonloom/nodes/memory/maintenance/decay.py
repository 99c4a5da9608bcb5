"""Weakens memories that are not read, of one space or of all, a few hundred at a time."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from reasonloom.contracts.caller import Caller
from reasonloom.stores.memory import decay
from reasonloom.stores.memory.decay import Cursor, Weakened

if TYPE_CHECKING:
    from reasonloom.stores.database import Database

BATCH = 500
"""Memories of one transaction: none is held longer than these take to write."""


async def weaken_space(
    database: Database, caller: Caller, at: datetime, *, batch: int = BATCH
) -> Weakened:
    """Bring the strength of every memory of a caller's space to `at`.

    Raises:
        DatabaseUnavailable: it went away; what was weakened stays so, the rest waits.
    """
    total, cursor = Weakened(), Cursor()
    while True:
        async with database.begin(caller, searching=True) as tx:
            weakened, then = await decay.weaken(tx, at, cursor, size=batch)
        total += weakened
        if then is None:
            return total
        cursor = then


async def weaken_all(database: Database, *, at: datetime, due: datetime) -> Weakened:
    """Bring every space of every owner to `at` that was weakened last before `due`."""
    total = Weakened()
    while claimed := await decay.claim(database, at=at, due=due):
        for place in claimed:
            total += await weaken_space(database, Caller(place.owner, place.space), at)
    return total


async def preview_space(database: Database, caller: Caller, at: datetime) -> Weakened:
    """Return what weakening a space would do, and change nothing."""
    async with database.begin(caller, searching=True) as tx:
        return await decay.foresee(tx, at)


async def preview_all(database: Database, at: datetime) -> Weakened:
    """Return what weakening every space would do, and change nothing."""
    total = Weakened()
    for place in await decay.places(database):
        total += await preview_space(database, Caller(place.owner, place.space), at)
    return total
