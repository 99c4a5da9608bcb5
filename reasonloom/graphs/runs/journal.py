"""Writes the rows of runs: in batches after the answer where possible, else at once.

`WriteBehind` queues the rows of reads and the reinforcement of recalled memories; `RunRows`
writes the rows and leases of the runs that the process executes.
"""

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from uuid import UUID

from reasonloom.contracts.caller import Caller
from reasonloom.errors import Conflict, DatabaseUnavailable, ReasonloomError
from reasonloom.nodes.execution import Execution, Loom
from reasonloom.nodes.runs.complete_run import run_row
from reasonloom.stores.database import NOT_REACHED, Database
from reasonloom.stores.memory import decay
from reasonloom.stores.pipelines import together
from reasonloom.stores.runs import active_runs, outcomes, questions, runs
from reasonloom.stores.runs.questions import QuestionRow
from reasonloom.stores.runs.runs import RunRow

log = logging.getLogger(__name__)
PAUSE = 0.2
"""Seconds between two batches."""

LONGEST_PAUSE = 10.0
"""Maximum seconds between two attempts while the database is unavailable."""

MOST_WAITING = 10_000
"""Entries queued while the database is unavailable; later ones are dropped with a log warning."""

MOST_WAITING_RUNS = 100
TOO_MANY_WAIT = (
    "{most} runs wait for your replies already, and no more can; see reasoning_waiting, and answer "
    "or decline what it lists"
)


@dataclass
class Batch:
    """The pending entries of one caller."""

    rows: list[RunRow] = field(default_factory=list)
    recalled: dict[int, None] = field(default_factory=dict)


class WriteBehind:
    """The journal of one process; flushed periodically, and once more on shutdown."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock
        self._waiting: defaultdict[Caller, Batch] = defaultdict(Batch)
        self._count = 0
        self._writing = asyncio.Lock()

    def reinforce(self, caller: Caller, memories: list[int]) -> None:
        """Record that these memories were recalled."""
        if memories and self._has_room():
            self._waiting[caller].recalled.update(dict.fromkeys(memories))

    def record(self, caller: Caller, run: RunRow) -> None:
        """Record a run that wrote nothing."""
        if self._has_room():
            self._waiting[caller].rows.append(run)

    def _has_room(self) -> bool:
        self._count += 1
        if self._count == MOST_WAITING:
            log.warning("the journal is full; records of reads are dropped")
        return self._count < MOST_WAITING

    async def run(self) -> None:
        """Flush periodically until cancelled."""
        pause = PAUSE
        while True:
            await asyncio.sleep(pause)
            pause = PAUSE if await self.flush() else min(2 * pause, LONGEST_PAUSE)

    async def flush(self) -> bool:
        """Write all pending entries; return False if some could not be written yet.

        Waits for a flush in progress, so that everything recorded before the call is covered.
        """
        async with self._writing:
            return await self._written()

    async def _written(self) -> bool:
        complete, away = True, set[Database]()  # the owners of all other databases go on
        for caller in list(self._waiting):
            batch = self._waiting.pop(caller)
            try:
                await self._write_unless(away, caller, batch)
            except (DatabaseUnavailable, asyncio.CancelledError) as interruption:
                self._waiting[caller].rows[:0] = batch.rows
                self._waiting[caller].recalled.update(batch.recalled)
                if isinstance(interruption, asyncio.CancelledError):
                    raise
                complete = False
            except Exception:
                log.exception("%d records of reads could not be written", len(batch.rows))
        self._count = sum(len(each.rows) + bool(each.recalled) for each in self._waiting.values())
        return complete

    async def _write_unless(self, away: set[Database], caller: Caller, batch: Batch) -> None:
        """Write a batch unless its database is `away`; add the database if it turns out to be."""
        part = await self._database.database_for(caller.owner)
        if part in away:
            raise DatabaseUnavailable(NOT_REACHED)
        try:
            await self._write(caller, batch)
        except DatabaseUnavailable:
            away.add(part)
            raise

    async def _write(self, caller: Caller, batch: Batch) -> None:
        async with self._database.begin(caller, noted=False) as tx:
            for row in batch.rows:
                await runs.record(tx, row)
            if batch.recalled:
                tx.end_with_next()
                await decay.reinforce(tx, sorted(batch.recalled), self._clock())


class RunRows:
    """The rows of the runs whose leases this process holds.

    `leaving` is set on shutdown: cancelled runs are then left for other processes to resume.
    """

    def __init__(self, loom: Loom, journal: WriteBehind, holder: UUID) -> None:
        self._loom = loom
        self._journal = journal
        self.holder = holder
        self.leaving = False

    async def open(self, execution: Execution) -> bool:
        """Insert the run's row and take its lease; return False if its key started another run."""
        row = run_row(execution, runs.RUNNING)
        seconds = self._loom.settings.lease_seconds
        async with self._loom.database.begin(execution.caller, once=True) as tx:
            opened, execution.run.outcomes[row.tool] = await together(
                runs.open_run(tx, row, self.holder, seconds), outcomes.of_tool(tx, row.tool)
            )
        return opened

    async def take(self, execution: Execution) -> bool:
        """Take the lease of a run; return False if it is done or another process executes it."""
        async with self._loom.database.begin(execution.caller, once=True) as tx:
            return await runs.take_up(
                tx, execution.run.id, self.holder, self._loom.settings.lease_seconds
            )

    async def record(self, execution: Execution, row: RunRow) -> bool:
        """Record a run with a key before answering; return False if another run has the key."""
        async with self._loom.database.begin(execution.caller, once=True) as tx:
            return await runs.record(tx, row)

    async def suspend(self, execution: Execution) -> list[QuestionRow]:
        """Suspend a run until its caller replies; return the questions of its new round.

        Raises:
            Conflict: too many runs of the owner are waiting already.
        """
        run = execution.run
        ordered = sorted(run.questions, key=lambda each: (each.key.node, each.key.task, each.key.n))
        numbered = [replace(each, number=place) for place, each in enumerate(ordered, 1)]
        before = self._loom.clock() - timedelta(days=self._loom.settings.wait_days)
        async with self._loom.database.begin(execution.caller) as tx:
            await questions.abandon(tx, before, self._loom.clock())
            if not run.rounds and await questions.count_waiting(tx) >= MOST_WAITING_RUNS:
                raise Conflict(TOO_MANY_WAIT.format(most=MOST_WAITING_RUNS))
            worked = (time.perf_counter() - run.started) * 1000
            await questions.suspend(tx, run.id, numbered, worked_ms=worked)
        return numbered

    async def fail(self, execution: Execution, error: ReasonloomError) -> None:
        """Record a run that ended with an error."""
        await self._close(execution, runs.FAILED, error)

    async def cut(self, execution: Execution) -> None:
        """Record a cancelled run; a process that ends leaves its runs to others."""
        if self.leaving and execution.run.saved:
            await self._let_go(execution)
        else:
            await self.cancel(execution)

    async def cancel(self, execution: Execution) -> None:
        """Record a run that its caller has cancelled."""
        await self._close(execution, runs.CANCELLED, None)

    async def _let_go(self, execution: Execution) -> None:
        """Expire a run's lease now, so that another process resumes the run."""
        try:
            async with self._loom.database.begin(execution.caller, once=True) as tx:
                await active_runs.expire_lease(tx, execution.run.id, self.holder)
        except DatabaseUnavailable:
            log.warning("the lease of run %s could not be released", execution.run.id)

    async def _close(
        self, execution: Execution, status: str, error: ReasonloomError | None
    ) -> None:
        """Record a run without an answer; if the database is unavailable, leave it to recovery."""
        row = run_row(execution, status, error=error)
        if not execution.run.saved:
            self._journal.record(execution.caller, row)
            return
        try:
            async with self._loom.database.begin(execution.caller, once=True) as tx:
                await runs.close_run(tx, row)
        except DatabaseUnavailable:
            log.warning("run %s could not be recorded as %s", execution.run.id, status)
