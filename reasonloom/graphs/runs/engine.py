"""Runs a graph as a recorded run: opened, saved step by step, completed, or resumed."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

from reasonloom.contracts.caller import Caller
from reasonloom.errors import (
    Conflict,
    InternalFault,
    KeyTaken,
    ReasonloomError,
    RunInProgress,
    TimedOut,
)
from reasonloom.graphs.graph import FollowUp, Graph, load_graph
from reasonloom.graphs.runs.call import Call, Outcome, Report, Round, Step, offset_report
from reasonloom.graphs.runs.cancellation import PATIENCE, await_cancellable, await_shielded
from reasonloom.graphs.runs.executor import GraphExecutor
from reasonloom.graphs.runs.follow_up import permitted_follow_up, run_follow_up
from reasonloom.graphs.runs.fork import Fork, copy_step, loom_of_fork, require_own_llm, step_before
from reasonloom.graphs.runs.journal import RunRows, WriteBehind
from reasonloom.llm.providers.caller import CALLER, CallerModel
from reasonloom.nodes.execution import CurrentRun, Execution, Loom
from reasonloom.nodes.runs.complete_run import run_row
from reasonloom.stores.runs import questions, runs
from reasonloom.stores.runs.questions import QuestionRow
from reasonloom.stores.runs.runs import RunRow
from reasonloom.stores.saver import SavedSteps
from reasonloom.telemetry.active_run import run_span
from reasonloom.telemetry.metrics import counted_run

log = logging.getLogger(__name__)
ASK_AGAIN = 0.2
"""Seconds between two checks of a run that another call or process executes."""

ELSEWHERE = "another call with this key is running"


class Engine:
    """Runs graphs for one process; holds no state that another process would need."""

    def __init__(self, loom: Loom, steps: SavedSteps, journal: WriteBehind) -> None:
        self.loom = loom
        self.rows = RunRows(loom, journal, uuid4())
        self.active: dict[UUID, asyncio.Timeout] = {}
        self._stopped: set[UUID] = set()
        self._resting = asyncio.Event()
        self._resting.set()
        self.journal = journal
        self._executor = GraphExecutor(steps)

    async def call(self, call: Call) -> Outcome:
        """Run a tool's graph and return its outcome; an unacknowledged call is never half-stored.

        The answer of a follow-up call is returned under `result`.

        Raises:
            ReasonloomError: any deliberate error of the graph.
            TimedOut: the run took longer than `REASONLOOM_TOOL_TIMEOUT`, or its graph's own limit.
            InternalFault: a defect; the log has the details.
        """
        return await self.followed(call, await self._run(call))

    async def followed(self, call: Call, outcome: Outcome) -> Outcome:
        """Make the graph's follow-up call, if any, and return both outcomes combined."""
        following = self.following(call, outcome)
        if following is None:
            return outcome
        return await run_follow_up(self.call, call, outcome, following)

    def following(self, call: Call, outcome: Outcome) -> FollowUp | None:
        """Return the follow-up call of an outcome, None if its graph makes none."""
        follow = call.graph.follow
        found = follow(call.request, outcome.answer) if follow and not outcome.round else None
        return permitted_follow_up(found, self._loom_of(call)) if found else None

    def stop(self, run_id: UUID) -> bool:
        """Cancel a run that this process executes; return whether it executes it.

        The call that executes the run raises `Conflict`.
        """
        if (limit := self.active.get(run_id)) is None:
            return False
        self._stopped.add(run_id)
        limit.reschedule(asyncio.get_running_loop().time())
        return True

    async def at_rest(self) -> None:
        """Wait for a limited time until cancelled runs are recorded and no run is active."""
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await self._resting.wait()

    async def _run(self, call: Call) -> Outcome:
        if call.key and (known := await self._find(call.caller, call.tool, call.key)):
            return await self._answer_repeated(call, known)
        execution = self._begin(call, uuid4())
        return await self._guarded(execution, self._start(execution, call))

    async def resume(self, caller: Caller, row: RunRow, graph: Graph) -> Outcome:
        """Resume a run from where it stopped when its process ended.

        Raises:
            Conflict: another process executes it, its graph has changed since, or it is a fork
                that uses another language model.
        """
        return await self.resume_call(call_of(row, caller, graph), row)

    async def resume_call(self, call: Call, row: RunRow) -> Outcome:
        """Resume the run of a call; raises as `resume` does."""
        execution = await self._reopened(call, row)
        if call.graph.version != row.graph_version:
            raise Conflict(f"run {row.id} was started by another version of {row.tool}")
        require_own_llm(row, self.loom.llm.name)
        if not await self.rows.take(execution):
            raise RunInProgress(f"run {row.id} is already running")
        return await self._continue_run(execution, call)

    async def _continue_run(self, execution: Execution, call: Call) -> Outcome:
        """Continue a run whose lease this process holds."""
        work = self._continue(execution, call.graph, call.report)
        return await self._guarded(execution, self._outcome(execution, call.graph, work))

    async def saved_state(self, caller: Caller, run_id: UUID) -> dict[str, Any]:
        """Return the state in the last saved step of the caller's run, empty if none is stored."""
        return await self._executor.values(caller.owner, run_id)

    async def fork(self, caller: Caller, origin: RunRow, fork: Fork) -> Outcome:
        """Execute a saved run again from before a node, as a separate run.

        Raises:
            Conflict: the run is active, has no saved steps, or its graph has changed since.
            UnknownName: no such node, prompt or version.
        """
        graph = load_graph(origin.graph)
        call = Call(origin.tool, graph, origin.input, caller)
        await step_before(self._executor, self._begin(call, origin.id), graph, origin, fork.at)
        execution = self._begin(call, uuid4(), fork.row(origin.id))
        await self.rows.open(execution)
        return await self._continue_run(execution, call)

    async def _continue(
        self, execution: Execution, graph: Graph, report: Report
    ) -> dict[str, Any] | None:
        """Continue a run from its last saved step; a fork without one starts from its origin's."""
        if execution.run.fork is not None:
            await copy_step(self._executor, execution, graph)
        return await self._executor.resume(execution, graph, report)

    async def _reopened(self, call: Call, row: RunRow) -> Execution:
        """Return the execution of a stored run, with its usage and questions so far."""
        async with self.loom.database.begin(call.caller) as tx:
            spent = await runs.spent(tx, row.id)
            earlier = await questions.of_run(tx, row.id) if call.asks_caller else []
        begun = self._begin(call, row.id, row.fork)
        run = replace(
            begun.run,
            started=begun.run.started - (row.latency_ms or 0.0) / 1000,
            saved=True,
            resumed=True,
            spent=spent,
            created_at=row.created_at,
            rounds=max((each.round for each in earlier), default=0),
            self_judged=questions.is_self_judged(earlier),
        )
        return replace(begun, run=run)

    def _begin(self, call: Call, run_id: UUID, fork: dict[str, Any] | None = None) -> Execution:
        loom = self._loom_of(call)
        run = CurrentRun(
            id=run_id,
            tool=call.tool,
            graph=call.graph.name,
            graph_version=call.graph.version,
            input=call.request,
            started=time.perf_counter(),
            created_at=self.loom.clock(),
            seconds=call.graph.seconds(call.request) if call.graph.seconds else 0.0,
            key=call.key,
            saved=fork is not None or call.graph.saves(call.request, offline=loom.llm.offline),
            fork=fork,
        )
        return Execution(loom_of_fork(loom, fork), call.caller, run)

    def _loom_of(self, call: Call) -> Loom:
        """Return the loom with the tools offered to the caller and the call's language model."""
        llm = CallerModel() if call.asks_caller else self.loom.llm
        return replace(self.loom, llm=llm, offered=call.offered or self.loom.offered)

    async def _start(self, execution: Execution, call: Call) -> Outcome:
        if not execution.run.saved:
            return await self._run_unsaved(execution, call)
        if not await self.rows.open(execution):
            return await self._answer_of_key(call)
        work = self._executor.begin(execution, call.graph, call.report)
        return await self._outcome(execution, call.graph, work)

    async def _run_unsaved(self, execution: Execution, call: Call) -> Outcome:
        if call.graph.stateless:
            # It reads nothing, and its run, recorded after the answer, would be lost silently.
            async with self.loom.database.begin(execution.caller):
                pass
        try:
            state = await self._executor.direct(execution, call.graph)
        except KeyTaken:
            return await self._answer_of_key(call)
        if call.graph.writes:
            return _outcome(execution, state)
        output: dict[str, Any] | None = None
        if not execution.run.hosts:
            output = {"answer": state["answer"], "notes": state.get("notes", [])}
        row = run_row(execution, runs.DONE, output=output)
        if not row.key:
            self.journal.record(execution.caller, row)
        elif not await self.rows.record(execution, row):
            return await self._answer_of_key(call)
        return _outcome(execution, state)

    async def _answer_of_key(self, call: Call) -> Outcome:
        """Return the outcome of the run that a concurrent call with the same key started."""
        known = await self._find(call.caller, call.tool, call.key or "")
        if known is None:
            raise KeyTaken("another call with the same idempotency key is running; try again")
        return await self._answer_repeated(call, known)

    async def _outcome(
        self, execution: Execution, graph: Graph, work: Awaitable[dict[str, Any] | None]
    ) -> Outcome:
        state = await work
        if state is not None:
            return _outcome(execution, state)
        opened = await self.rows.suspend(execution)
        return Outcome(
            execution.run.id,
            {},
            [],
            waiting_round(graph, execution.run.tool, execution.run.input, opened),
        )

    async def _guarded(self, execution: Execution, work: Awaitable[Outcome]) -> Outcome:
        """Await `work` with the run's name in the log and in a span."""
        run = execution.run
        with run_span(run.tool, run.id, resumed=run.resumed):
            return await counted_run(run.tool, self._in_time(execution, work), _is_waiting)

    async def _in_time(self, execution: Execution, work: Awaitable[Outcome]) -> Outcome:
        """Await `work` within the run's time limit; a run that fails is recorded as failed."""
        run = execution.run
        self._resting.clear()
        try:
            async with asyncio.timeout(execution.seconds) as self.active[run.id]:
                return await await_cancellable(work)
        except TimeoutError:
            if run.id in self._stopped:
                await await_shielded(self.rows.cancel(execution))
                raise Conflict(f"run {run.id} of {run.tool} was cancelled") from None
            fault = TimedOut(f"{run.tool} took longer than {execution.seconds:g} s")
            await await_shielded(self.rows.fail(execution, fault))
            raise fault from None
        except asyncio.CancelledError:
            await await_shielded(self.rows.cut(execution))
            raise
        except ReasonloomError as error:
            await await_shielded(self.rows.fail(execution, error))
            raise
        except Exception as error:
            log.exception("run %s of %s broke", run.id, run.tool)
            defect = InternalFault(str(run.id)[:8])
            await await_shielded(self.rows.fail(execution, defect))
            raise defect from error
        finally:
            self.active.pop(run.id, None)
            self._stopped.discard(run.id)
            if not self.active:
                self._resting.set()

    async def waiting_outcome(self, caller: Caller, row: RunRow) -> Outcome:
        """Return the outcome of a waiting run."""
        return Outcome(row.id, {}, [], await self.open_round(caller, row))

    async def open_round(self, caller: Caller, row: RunRow) -> Round:
        """Return the open questions of a waiting run."""
        async with self.loom.database.begin(caller, once=True) as tx:
            known = await questions.of_run(tx, row.id)
        opened = [each for each in known if each.status == questions.OPEN]
        return waiting_round(load_graph(row.graph), row.tool, row.input, opened)

    async def _find(self, caller: Caller, tool: str, key: str) -> RunRow | None:
        async with self.loom.database.begin(caller, once=True) as tx:
            return await runs.find_by_key(tx, tool, key)

    async def _answer_repeated(self, call: Call, known: RunRow) -> Outcome:
        """Answer a repeated key with the stored answer, or by resuming the run on its own graph.

        Raises:
            Conflict: the key was used for another request.
        """
        if known.input != call.request or known.space != call.caller.space:
            raise Conflict(
                "the idempotency key was used for another request; use a new one", field="key"
            )
        call = replace(call, graph=load_graph(known.graph))
        deadline = time.monotonic() + self._begin(call, known.id).seconds
        waited = False
        while time.monotonic() < deadline:
            if known.status == runs.DONE:
                return stored_outcome(known)
            if known.status == runs.WAITING:
                return await self.waiting_outcome(call.caller, known)
            try:
                return await self.resume_call(call, known)
            except RunInProgress:
                log.debug("run %s is executed by another call", known.id)
            if not waited:
                await call.report(Step(known.id, 0, None, ELSEWHERE))
                waited, call = True, replace(call, report=offset_report(call.report, 1))
            await asyncio.sleep(ASK_AGAIN)
            known = await self._find(call.caller, call.tool, call.key or "") or known
        raise TimedOut("the run of this key is still running; try again")


def call_of(row: RunRow, caller: Caller, graph: Graph) -> Call:
    """Return the call that began a run."""
    return Call(row.tool, graph, row.input, caller, row.key, asks_caller=row.llm == CALLER)


def waiting_round(
    graph: Graph, tool: str, request: dict[str, Any], opened: Sequence[QuestionRow]
) -> Round:
    """Return the round of a run of `graph` that waits for replies to these questions."""
    number = max((each.round for each in opened), default=0)
    usual = graph.rounds(request) if graph.rounds else None
    return Round(tool, number, usual if usual and usual >= number else None, [*opened])


def stored_outcome(run: RunRow) -> Outcome:
    """Return the outcome in a run's row.

    Raises:
        Conflict: the answer has been forgotten and erased.
    """
    if not run.output or "answer" not in run.output:
        raise Conflict("the answer of this key's run has been forgotten; use a new key")
    return Outcome(run.id, run.output["answer"], run.output["notes"])


def _is_waiting(outcome: Outcome) -> bool:
    return outcome.round is not None


def _outcome(execution: Execution, state: dict[str, Any]) -> Outcome:
    notes = list(dict.fromkeys([*state.get("notes", []), *execution.run.notes]))
    return Outcome(execution.run.id, state["answer"], notes, self_judged=execution.run.self_judged)
