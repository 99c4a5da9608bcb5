"""Erases for good what was forgotten long enough ago, a few hundred chunks at a time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from reasonloom.contracts.caller import Caller
from reasonloom.stores.history import erasing
from reasonloom.stores.memory import decay
from reasonloom.stores.runs.redaction import redact_past

if TYPE_CHECKING:
    from reasonloom.stores.database import Database

BATCH = 500
"""Chunks of one transaction: whoever stores waits no longer than these take to remove."""


@dataclass(frozen=True, slots=True)
class Erased:
    """How many calls of `forget` were made final, and the chunks that went with them."""

    forgets: int = 0
    chunks: int = 0

    def __add__(self, other: Erased) -> Erased:
        """Return both together."""
        return Erased(self.forgets + other.forgets, self.chunks + other.chunks)


async def erase(database: Database, caller: Caller, number: int) -> Erased:
    """Erase what one call forgot, with all that was derived, and what runs kept of it.

    It may be asked for again where it was interrupted.
    """
    async with database.begin(caller, searching=True) as tx:
        numbers = await erasing.claim(tx, number)
        if numbers:
            await redact_past(tx, numbers)
    sessions: set[UUID] = set()
    transcripts: set[UUID] = set()
    total = 0
    while True:
        async with database.begin(caller) as tx:
            gone, of_sessions, of_transcripts = await erasing.erase_some(tx, number, BATCH)
        total, sessions, transcripts = (
            total + gone,
            sessions | of_sessions,
            transcripts | of_transcripts,
        )
        if gone < BATCH:
            break
    async with database.begin(caller) as tx:
        await erasing.sweep(tx, number, list(sessions), list(transcripts))
    return Erased(int(bool(total)), total)


async def erase_due(database: Database, caller: Caller, before: datetime) -> Erased:
    """Erase all that an owner forgot up to `before`."""
    async with database.begin(caller) as tx:
        numbers = await erasing.due(tx, before)
    total = Erased()
    for number in numbers:
        total += await erase(database, caller, number)
    return total


async def erase_all_due(database: Database, before: datetime) -> Erased:
    """Erase all that any owner forgot up to `before`."""
    total = Erased()
    for owner in sorted({place.owner for place in await decay.places(database)}):
        total += await erase_due(database, Caller(owner), before)
    return total
