"""A streaming standby that answers searches while it follows its primary closely.

Twice a second the primary's position in its log is noted; what the standby has replayed then tells
up to which moment it is complete. An owner who wrote after that moment, through this process, reads
from the primary, and so does everybody if that moment is too long ago.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from sqlalchemy import text

from reasonloom.contracts.caller import Caller
from reasonloom.errors import DatabaseUnavailable, StandbyLost
from reasonloom.stores.access import Access
from reasonloom.stores.database import Database, Transaction

log = logging.getLogger(__name__)
INTERVAL = 0.5
"""Seconds between two looks at both servers."""

MOST_LAG = 5.0
"""Seconds by which the standby may be behind while it is used."""

MOST_WRITERS = 100_000
WRITTEN = text("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint")
REPLAYED = text("SELECT pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint")


class Standby:
    """The standby of a primary; not used before the first look at both has succeeded."""

    def __init__(self, primary: Database, standby: Database) -> None:
        self._primary, self._standby = primary, standby
        self._complete_until = float("-inf")
        self._positions: deque[tuple[float, int]] = deque()
        self._writers: dict[str, float] = {}
        self._watch: asyncio.Task[None] | None = None

    def note(self, owner: str) -> None:
        """Record that an owner's rows have just been written."""
        self._writers.pop(owner, None)
        self._writers[owner] = time.monotonic()
        if len(self._writers) > MOST_WRITERS:
            self._writers.pop(next(iter(self._writers)))

    def suits(self, caller: Caller) -> bool:
        """Return whether a search of a caller may be answered by the standby now."""
        if self._watch is None:
            self._watch = asyncio.create_task(self._look_on())
        recent = time.monotonic() - self._complete_until <= MOST_LAG
        written = self._writers.get(caller.host or caller.owner, float("-inf"))
        return recent and written < self._complete_until

    @asynccontextmanager
    async def begin(self, caller: Caller, **ways: Any) -> AsyncIterator[Transaction]:
        """Open a transaction on the standby; see `Database.begin`.

        Raises:
            StandbyLost: the standby failed; the next attempt uses the primary.
        """
        try:
            async with self._standby.begin(caller, **ways) as tx:
                yield tx
        except DatabaseUnavailable as error:
            self._complete_until = float("-inf")
            raise StandbyLost(error.message) from error

    async def _look_on(self) -> None:
        while True:
            try:
                await self._look()
            except DatabaseUnavailable:
                # The last look counts, for a while.
                log.debug("the primary or its standby is unavailable")
            except Exception:
                self._complete_until = float("-inf")
                log.exception("the standby cannot be used")
            await asyncio.sleep(INTERVAL)

    async def _look(self) -> None:
        """Note the primary's position, then up to when the standby is complete."""
        at = time.monotonic()
        self._positions.append((at, await _position(self._primary, WRITTEN)))
        replayed = await _position(self._standby, REPLAYED)
        while self._positions and self._positions[0][1] <= replayed:
            self._complete_until, _ = self._positions.popleft()

    async def close(self) -> None:
        """Stop looking, and close the connections to the standby."""
        if self._watch:
            self._watch.cancel()
            with suppress(asyncio.CancelledError):
                await self._watch
        await self._standby.close()


async def _position(database: Database, query: Any) -> int:
    """Return a position in the log; a server that is no standby has replayed nothing."""
    async with database.recovering() as tx:
        return int((await tx.one(query))[0] or 0)


class FollowedDatabase(Database):
    """A database with a standby.

    A transaction that only `reads` is opened on the standby if that has all that the owner wrote
    through this process; writes with `noted` false need not be found at once.
    """

    def __init__(self, access: Access, standby: str, **options: Any) -> None:
        super().__init__(access, **options)
        options.pop("on_move", None)
        replica = Database(Access(admin="", app=standby), **options)
        self._standby = Standby(self, replica)

    @asynccontextmanager
    async def begin(
        self, caller: Caller, *, reads: bool = False, noted: bool = True, **ways: bool
    ) -> AsyncIterator[Transaction]:
        """Open a transaction on the primary or its standby; see `Database.begin`."""
        on_standby = reads and self._standby.suits(caller)
        begin = self._standby.begin if on_standby else super().begin
        async with begin(caller, **ways) as tx:
            yield tx
        if noted and not reads:
            self._standby.note(caller.host or caller.owner)

    def note_arrival(self, owner: str) -> None:
        """Let the primary answer an owner who has moved here until the standby has its rows."""
        self._standby.note(owner)

    async def close(self) -> None:
        """Close every connection, also those to the standby."""
        await self._standby.close()
        await super().close()


def database_at(access: Access, **options: Any) -> Database:
    """Return the database at `access`, with its standby if it has one."""
    if access.read is None:
        return Database(access, **options)
    return FollowedDatabase(access, access.read, **options)
