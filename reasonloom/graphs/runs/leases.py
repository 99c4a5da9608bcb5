"""Leases on runs: renews those of this process, and resumes runs whose process lost theirs.

A lease is expired by locally elapsed time, regardless of changes to system clocks.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from reasonloom.contracts.caller import Caller
from reasonloom.errors import Conflict, DatabaseUnavailable, ReasonloomError
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.engine import Engine
from reasonloom.graphs.runs.resume import resume_run
from reasonloom.stores.database import Database
from reasonloom.stores.runs import active_runs, runs
from reasonloom.stores.runs.active_runs import Lease

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Seen:
    until: datetime
    expires: float
    """A reading of the watch's own clock."""


class LeaseWatch:
    """The leases that a process saw at its last check.

    The database's clock may be changed during a lease. What counts is therefore the time that was
    left when the lease was first seen; a renewed lease counts as a new one.
    """

    def __init__(self, longest: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Take the duration of this process's leases in seconds, and a monotonic clock."""
        self._longest = longest
        self._clock = clock
        self._seen: dict[UUID, _Seen] = {}
        self._offset: float | None = None

    def expired(self, leases: Sequence[Lease]) -> list[Lease]:
        """Return the expired ones of `leases`, which must be all current leases."""
        now = self._clock()
        jump = self._jump(leases[0].now.timestamp() - now) if leases else 0.0
        before, self._seen = self._seen, {}
        for lease in leases:
            known = before.get(lease.run_id)
            if known is None or known.until != lease.until:
                known = _Seen(lease.until, now + self._left(lease, jump))
            self._seen[lease.run_id] = known
        return [lease for lease in leases if self._seen[lease.run_id].expires < now]

    def _jump(self, offset: float) -> float:
        """Return by how many seconds the database's clock was set since the last look."""
        jump = 0.0 if self._offset is None else offset - self._offset
        self._offset = offset
        return jump

    def _left(self, lease: Lease, jump: float) -> float:
        """Return the seconds left of a lease, corrected for a jump of the database's clock."""
        left = (lease.until - lease.now).total_seconds()
        if jump > 0 > left:
            return min(left + jump, self._longest)
        return left + jump if left > -jump > 0 else left


class Recovery:
    """Maintenance of unfinished runs, one task in each serving process."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._resumed: set[asyncio.Task[None]] = set()
        self._watches: dict[Database, LeaseWatch] = {}

    async def run(self) -> None:
        """Renew leases and resume runs until cancelled; then cancel the resumed runs too."""
        try:
            await self._repeat(self._look_around)
        finally:
            for task in self._resumed:
                task.cancel()

    async def renew(self) -> None:
        """Only renew the leases of this process, until cancelled."""
        await self._repeat(self._renew)

    async def _repeat(self, step: Callable[[], Awaitable[None]]) -> None:
        pause = self._engine.loom.settings.lease_seconds / 3
        while True:
            try:
                await step()
            except DatabaseUnavailable:
                log.debug("leases could not be renewed: the database is unavailable")
            except Exception:
                log.exception("leases could not be renewed")
            await asyncio.sleep(pause)

    async def _renew(self) -> None:
        holder, active = self._engine.rows.holder, self._engine.active
        seconds = self._engine.loom.settings.lease_seconds

        async def renewed(part: Database) -> set[UUID]:
            return await active_runs.renew_leases(part, holder, active, seconds)

        async for revoked in self._engine.loom.database.on_each(renewed):
            for run_id in revoked:
                self._engine.stop(run_id)

    async def _look_around(self) -> None:
        await self._renew()
        if self._engine.rows.leaving:
            return

        async def expired(part: Database) -> list[tuple[Lease, Database]]:
            leases = await active_runs.leases(part)
            return [(each, part) for each in self._watch_of(part).expired(leases)]

        async for orphans in self._engine.loom.database.on_each(expired):
            for orphan, part in orphans:
                if orphan.run_id not in self._engine.active:
                    task = asyncio.create_task(self._take_up(orphan, part))
                    self._resumed.add(task)
                    task.add_done_callback(self._resumed.discard)

    def _watch_of(self, part: Database) -> LeaseWatch:
        """Return the watch over one database, since each has its own clock."""
        if part not in self._watches:
            self._watches[part] = LeaseWatch(self._engine.loom.settings.lease_seconds)
        return self._watches[part]

    async def _take_up(self, orphan: Lease, part: Database) -> None:
        """Resume a lost run, or end it if it was cancelled or is too old."""
        caller = Caller(orphan.owner)
        try:
            if orphan.until > orphan.now:  # the database's clock was set back
                await active_runs.end_lease(part, orphan)
            if orphan.revoked:
                await self._end(caller, orphan.run_id, runs.CANCELLED)
                return
            if await self._is_too_old(caller, orphan.run_id):
                await self._end(caller, orphan.run_id, runs.INTERRUPTED)
                return
            await resume_run(self._engine, caller, str(orphan.run_id))
            log.info("run %s was resumed and finished", orphan.run_id)
        except Conflict:
            log.info("run %s belongs to another process", orphan.run_id)
        except ReasonloomError as error:
            log.warning("run %s could not be resumed: %s", orphan.run_id, type(error).__name__)

    async def _is_too_old(self, caller: Caller, run_id: UUID) -> bool:
        loom = self._engine.loom
        async with loom.database.begin(caller) as tx:
            row = await runs.find(tx, run_id)
        if row is None:
            return True
        age = (loom.clock() - row.created_at).total_seconds()
        changed = load_graph(row.graph).version != row.graph_version
        changed |= row.fork is not None and row.llm != loom.llm.name
        return changed or age > loom.settings.resume_within

    async def _end(self, caller: Caller, run_id: UUID, status: str) -> None:
        async with self._engine.loom.database.begin(caller) as tx:
            await runs.end_unfinished(tx, run_id, status, self._engine.loom.clock())
            await active_runs.release_lease(tx, run_id)
