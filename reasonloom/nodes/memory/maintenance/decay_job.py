"""Applies decay to the memories of one space or of all, a few hundred at a time."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from reasonloom.contracts.caller import Caller
from reasonloom.stores.memory import decay
from reasonloom.stores.memory.decay import Cursor, Weakened

if TYPE_CHECKING:
    from reasonloom.stores.database import Database

BATCH = 500
"""Memories of one transaction, which bounds how long a row is locked."""


async def weaken_space(
    database: Database, caller: Caller, at: datetime, *, batch: int = BATCH
) -> Weakened:
    """Decay every memory of a caller's space up to `at`.

    Raises:
        DatabaseUnavailable: the database went away; what was written stays, the rest waits.
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
    """Decay every space of every owner up to `at` that was last decayed before `due`."""
    total = Weakened()
    while claimed := await decay.claim(database, at=at, due=due):
        for place in claimed:
            total += await weaken_space(database, Caller(place.owner, place.space), at)
    return total


async def preview_space(database: Database, caller: Caller, at: datetime) -> Weakened:
    """Return what decaying a space would do, without changes."""
    async with database.begin(caller, searching=True) as tx:
        return await decay.foresee(tx, at)


async def preview_all(database: Database, at: datetime) -> Weakened:
    """Return what decaying every space would do, without changes."""
    total = Weakened()
    for place in await decay.places(database):
        total += await preview_space(database, Caller(place.owner, place.space), at)
    return total
