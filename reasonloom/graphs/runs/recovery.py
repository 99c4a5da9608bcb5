"""Renews the leases of this process and resumes runs that other processes abandoned."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from uuid import UUID

from reasonloom.contracts.caller import Caller
from reasonloom.errors import Conflict, DatabaseUnavailable, ReasonloomError, RunNotFound
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.call import Outcome
from reasonloom.graphs.runs.engine import Engine
from reasonloom.graphs.runs.lease_watch import LeaseWatch
from reasonloom.stores.runs import active_runs, runs
from reasonloom.stores.runs.active_runs import Lease

log = logging.getLogger(__name__)


class Recovery:
    """Maintenance of unfinished runs, one task in each serving process."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._resumed: set[asyncio.Task[None]] = set()
        self._watch = LeaseWatch(engine.loom.settings.lease_seconds)

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
                log.debug("leases could not be renewed: the database is away")
            except Exception:
                log.exception("leases could not be renewed")
            await asyncio.sleep(pause)

    async def _renew(self) -> None:
        loom = self._engine.loom
        await active_runs.renew_leases(
            loom.database,
            self._engine.rows.holder,
            self._engine.active,
            loom.settings.lease_seconds,
        )

    async def _look_around(self) -> None:
        await self._renew()
        if self._engine.rows.leaving:
            return
        loom = self._engine.loom
        for orphan in self._watch.expired(await active_runs.leases(loom.database)):
            if orphan.run_id not in self._engine.active:
                task = asyncio.create_task(self._take_up(orphan))
                self._resumed.add(task)
                task.add_done_callback(self._resumed.discard)

    async def _take_up(self, orphan: Lease) -> None:
        """Resume a lost run, or mark it as interrupted if it is too old."""
        caller = Caller(orphan.owner)
        try:
            if orphan.until > orphan.now:  # the database's clock was set back
                await active_runs.end_lease(self._engine.loom.database, orphan)
            if await self._is_too_old(caller, orphan.run_id):
                await self._mark_interrupted(caller, orphan.run_id)
                return
            await resume_run(self._engine, caller, str(orphan.run_id))
            log.info("run %s was taken up and finished", orphan.run_id)
        except Conflict:
            log.info("run %s is somebody else's", orphan.run_id)
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

    async def _mark_interrupted(self, caller: Caller, run_id: UUID) -> None:
        async with self._engine.loom.database.begin(caller) as tx:
            await runs.interrupt(tx, run_id, self._engine.loom.clock())
            await active_runs.release_lease(tx, run_id)


async def resume_run(engine: Engine, caller: Caller, run_id: str) -> Outcome:
    """Resume an unfinished run of the caller and return its outcome; a waiting run keeps waiting.

    Raises:
        RunNotFound: the owner has no such run.
        Conflict: it is finished, or another process is executing it.
    """
    row = await find_run(engine, caller, run_id)
    if row.status == runs.DONE:
        raise Conflict(f"run {run_id} is done")
    if row.status == runs.WAITING:
        return await engine.waiting_outcome(caller.within(row.space or None), row)
    return await engine.resume(caller.within(row.space or None), row, load_graph(row.graph))


async def find_run(engine: Engine, caller: Caller, run_id: str) -> runs.RunRow:
    """Return a run of the caller.

    Raises:
        RunNotFound: the owner has no such run, or the text is not a UUID.
    """
    try:
        wanted = UUID(run_id)
    except ValueError:
        raise RunNotFound(run_id, field="run") from None
    async with engine.loom.database.begin(caller) as tx:
        row = await runs.find(tx, wanted)
    if row is None:
        raise RunNotFound(run_id, field="run")
    return row
