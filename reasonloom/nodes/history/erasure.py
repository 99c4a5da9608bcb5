"""Permanently erases chunks whose undo period has ended, in batches, and restores others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from reasonloom.contracts.caller import Caller
from reasonloom.errors import UnknownName
from reasonloom.nodes.execution import Loom
from reasonloom.stores.database import Database
from reasonloom.stores.history import soft_deletes
from reasonloom.stores.history.soft_deletes import Forgotten
from reasonloom.stores.memory import decay
from reasonloom.stores.runs.redaction import redact_past

BATCH = 500
"""Chunks per transaction, which bounds how long concurrent writers wait."""


@dataclass(frozen=True, slots=True)
class Erased:
    """How many `forget` calls were made final, and how many chunks were erased."""

    forgets: int = 0
    chunks: int = 0

    def __add__(self, other: Erased) -> Erased:
        """Return the sum of both."""
        return Erased(self.forgets + other.forgets, self.chunks + other.chunks)


async def erase(database: Database, caller: Caller, number: int) -> Erased:
    """Erase the chunks of one `forget` call, all data derived from them, and their copies in runs.

    Safe to repeat after an interruption.
    """
    async with database.begin(caller, searching=True) as tx:
        numbers = await soft_deletes.claim(tx, number)
        if numbers:
            await redact_past(tx, numbers)
    sessions: set[UUID] = set()
    transcripts: set[UUID] = set()
    total = 0
    while True:
        async with database.begin(caller) as tx:
            gone, of_sessions, of_transcripts = await soft_deletes.erase_some(tx, number, BATCH)
        total, sessions, transcripts = (
            total + gone,
            sessions | of_sessions,
            transcripts | of_transcripts,
        )
        if gone < BATCH:
            break
    async with database.begin(caller) as tx:
        await soft_deletes.sweep(tx, number, list(sessions), list(transcripts))
    return Erased(int(bool(total)), total)


async def erase_due(database: Database, caller: Caller, before: datetime) -> Erased:
    """Erase everything that an owner forgot up to `before`."""
    async with database.begin(caller) as tx:
        numbers = await soft_deletes.due(tx, before)
    total = Erased()
    for number in numbers:
        total += await erase(database, caller, number)
    return total


async def erase_all_due(database: Database, before: datetime) -> Erased:
    """Erase everything that any owner forgot up to `before`."""
    total = Erased()
    for owner in sorted({place.owner for place in await decay.places(database)}):
        total += await erase_due(database, Caller(owner), before)
    return total


NOTHING_TO_RESTORE = "number: nothing that was forgotten as {number} can be restored; {there}"


async def list_undoable(loom: Loom, caller: Caller) -> Sequence[Forgotten]:
    """Return the `forget` calls that can still be undone, newest first."""
    kept = loom.clock() - timedelta(days=loom.settings.undo_days)
    async with loom.database.begin(caller) as tx:
        found = await soft_deletes.undoable(tx)
    return [each for each in found if each.forgotten_at > kept]


async def restore_forgotten(loom: Loom, caller: Caller, number: int) -> int:
    """Restore the chunks of one `forget` call; return how many.

    Raises:
        UnknownName: no call with this number can be undone.
    """
    there = {each.number for each in await list_undoable(loom, caller)}
    async with loom.database.begin(caller) as tx:
        held = await soft_deletes.hold_forgotten(tx, number) if number in there else None
        if held is None:
            numbers = ", ".join(map(str, sorted(there)[-5:]))
            available = f"there are {numbers}" if numbers else "there is nothing"
            raise UnknownName(
                NOTHING_TO_RESTORE.format(number=number, there=available), field="number"
            )
        return await soft_deletes.undo(tx, number)
