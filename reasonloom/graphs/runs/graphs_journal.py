"""Writes what may come after the answer, in batches: rows of reads, and reinforcement."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from reasonloom.errors import DatabaseUnavailable
from reasonloom.stores.memory import decay
from reasonloom.stores.runs import runs

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.stores.database import Database
    from reasonloom.stores.runs.runs import RunRow

log = logging.getLogger(__name__)
PAUSE = 0.2
"""Seconds between two batches."""

LONGEST_PAUSE = 10.0
"""Seconds between two tries while the database is away."""

MOST_WAITING = 10_000
"""Entries kept while the database is away; older ones are dropped, and the log says so."""


@dataclass
class Batch:
    """What one caller's next batch holds."""

    rows: list[RunRow] = field(default_factory=list)
    recalled: dict[int, None] = field(default_factory=dict)


class WriteBehind:
    """The journal of one process; flushed while it runs and once more when it closes."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock
        self._waiting: defaultdict[Caller, Batch] = defaultdict(Batch)
        self._count = 0
        self._writing = asyncio.Lock()

    def reinforce(self, caller: Caller, memories: list[int]) -> None:
        """Note that these memories were recalled."""
        if memories and self._has_room():
            self._waiting[caller].recalled.update(dict.fromkeys(memories))

    def record(self, caller: Caller, run: RunRow) -> None:
        """Note a run that wrote nothing."""
        if self._has_room():
            self._waiting[caller].rows.append(run)

    def _has_room(self) -> bool:
        self._count += 1
        if self._count == MOST_WAITING:
            log.warning("the journal is full; records of reads are dropped")
        return self._count < MOST_WAITING

    async def run(self) -> None:
        """Flush for ever; ends by being cancelled."""
        pause = PAUSE
        while True:
            await asyncio.sleep(pause)
            pause = PAUSE if await self.flush() else min(2 * pause, LONGEST_PAUSE)

    async def flush(self) -> bool:
        """Write what waits; False where some of it could not be written and waits on.

        Another flush that is at work is waited for: after this one all is written that was noted
        before it.
        """
        async with self._writing:
            return await self._written()

    async def _written(self) -> bool:
        while self._waiting:
            caller, batch = self._waiting.popitem()
            try:
                await self._write(caller, batch)
            except (DatabaseUnavailable, asyncio.CancelledError) as interruption:
                self._waiting[caller].rows[:0] = batch.rows
                self._waiting[caller].recalled.update(batch.recalled)
                if isinstance(interruption, asyncio.CancelledError):
                    raise
                return False
            except Exception:
                log.exception("%d records of reads could not be written", len(batch.rows))
        self._count = 0
        return True

    async def _write(self, caller: Caller, batch: Batch) -> None:
        async with self._database.begin(caller) as tx:
            for row in batch.rows:
                await runs.record(tx, row)
            if batch.recalled:
                await decay.reinforce(tx, sorted(batch.recalled), self._clock())
