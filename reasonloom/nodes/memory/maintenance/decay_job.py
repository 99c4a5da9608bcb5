"""Applies decay to the memories of one or all spaces, in batches."""

from datetime import datetime

from reasonloom.contracts.caller import Caller
from reasonloom.stores.database import Database
from reasonloom.stores.memory import decay
from reasonloom.stores.memory.decay import Cursor, Weakened

BATCH = 500
"""Memories updated per transaction, which bounds how long rows are locked."""


async def weaken_space(
    database: Database, caller: Caller, at: datetime, *, batch: int = BATCH
) -> Weakened:
    """Decay every memory of a caller's space up to `at`.

    Raises:
        DatabaseUnavailable: the connection was lost; completed batches remain applied.
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
    """Decay, up to `at`, every space of every owner that was last decayed before `due`."""
    total = Weakened()
    while claimed := await decay.claim(database, at=at, due=due):
        for place in claimed:
            total += await weaken_space(database, Caller(place.owner, place.space), at)
    return total


async def preview_space(database: Database, caller: Caller, at: datetime) -> Weakened:
    """Return the effect of decaying a space, without changing it."""
    async with database.begin(caller, searching=True) as tx:
        return await decay.foresee(tx, at)


async def preview_all(database: Database, at: datetime) -> Weakened:
    """Return the effect of decaying every space, without changing any."""
    total = Weakened()
    for place in await decay.places(database):
        total += await preview_space(database, Caller(place.owner, place.space), at)
    return total
