"""Writes the rows and leases of the runs that one process carries."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING
from uuid import UUID

from reasonloom.errors import DatabaseUnavailable, ReasonloomError
from reasonloom.stores.runs import active_runs, runs
from reasonloom.stores.runs.runs import RunRow

if TYPE_CHECKING:
    from reasonloom.graphs.runs.graphs_journal import WriteBehind
    from reasonloom.nodes.loom import Execution, Loom

log = logging.getLogger(__name__)


class RunRows:
    """The rows of one process, the holder of their leases.

    `leaving` is set when the process is about to end: what is cut short then is left to others.
    """

    def __init__(self, loom: Loom, journal: WriteBehind, holder: UUID) -> None:
        self._loom = loom
        self._journal = journal
        self.holder = holder
        self.leaving = False

    async def open(self, execution: Execution) -> bool:
        """Write the run's row and take its lease; False where its key began another run."""
        row = self._row(execution, runs.RUNNING)
        seconds = self._loom.settings.lease_seconds
        async with self._loom.database.begin(execution.caller) as tx:
            return await runs.open_run(tx, row, self.holder, seconds)

    async def take(self, execution: Execution) -> bool:
        """Take the lease of a run that nobody carries; False where it is done, or carried."""
        async with self._loom.database.begin(execution.caller) as tx:
            return await runs.take_up(
                tx, execution.run.id, self.holder, self._loom.settings.lease_seconds
            )

    async def record(self, execution: Execution, row: RunRow) -> bool:
        """Write what a key stands for before it is told; False where another run has the key."""
        async with self._loom.database.begin(execution.caller) as tx:
            return await runs.record(tx, row)

    async def fail(self, execution: Execution, error: ReasonloomError) -> None:
        """Record a run that ended with an error."""
        await self._close(execution, runs.FAILED, error)

    async def cut(self, execution: Execution) -> None:
        """Record a run that was cancelled; a process that ends leaves its runs to the others."""
        if self.leaving and execution.run.saved:
            await self._let_go(execution)
        else:
            await self._close(execution, runs.CANCELLED, None)

    async def _let_go(self, execution: Execution) -> None:
        """Let a run's lease run out at once, so that another process takes the run up."""
        try:
            async with self._loom.database.begin(execution.caller) as tx:
                await active_runs.let_go(tx, execution.run.id, self.holder)
        except DatabaseUnavailable:
            log.warning("the lease of run %s could not be given back", execution.run.id)

    async def _close(
        self, execution: Execution, status: str, error: ReasonloomError | None
    ) -> None:
        """Record a run that gave no answer; one whose database is away is left to recovery."""
        row = self._row(execution, status, error)
        if not execution.run.saved:
            self._journal.record(execution.caller, row)
            return
        try:
            async with self._loom.database.begin(execution.caller) as tx:
                await runs.close_run(tx, row)
        except DatabaseUnavailable:
            log.warning("run %s could not be recorded as %s", execution.run.id, status)

    def _row(
        self, execution: Execution, status: str, error: ReasonloomError | None = None
    ) -> RunRow:
        run = execution.run
        ended = status != runs.RUNNING
        return RunRow(
            id=run.id,
            tool=run.tool,
            graph=run.graph,
            graph_version=run.graph_version,
            status=status,
            input=run.input,
            created_at=run.created_at,
            space=execution.caller.space,
            error={"type": type(error).__name__, "message": error.message} if error else None,
            key=run.key if run.saved else None,
            client=execution.caller.client,
            llm=self._loom.llm.name if run.saved else None,
            latency_ms=(time.perf_counter() - run.started) * 1000 if ended else None,
            finished_at=self._loom.clock() if ended else None,
            fork=run.fork,
        )
