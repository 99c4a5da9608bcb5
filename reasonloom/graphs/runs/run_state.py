"""The state of a run together with its follow-up, and how an unfinished one is finished."""

from dataclasses import dataclass, replace
from datetime import datetime

from reasonloom.contracts.caller import Caller
from reasonloom.errors import Conflict, ReasonloomError, RunInProgress, restored
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.call import Outcome
from reasonloom.graphs.runs.engine import Engine, call_of, stored_outcome
from reasonloom.graphs.runs.follow_up import combined, follow_up_key, not_followed, refused
from reasonloom.stores.runs import active_runs, questions, runs
from reasonloom.stores.runs.runs import RunRow

CANCELLED_BY_CLIENT = {"type": "Cancelled", "message": "its client has cancelled it"}
ENDED = (runs.DONE, runs.FAILED, runs.CANCELLED, runs.ABANDONED)


@dataclass(frozen=True, slots=True)
class RunState:
    """A run, and the run on which its answer depends: itself, or its follow-up.

    `current` is None if the follow-up has not begun; `outcome` is set once both are done, `error`
    once there will be no answer, unless the run was cancelled.
    """

    first: RunRow
    current: RunRow | None
    outcome: Outcome | None = None
    error: ReasonloomError | None = None


async def finished_outcome(engine: Engine, caller: Caller, row: RunRow) -> Outcome:
    """Return the outcome of a run that is done.

    Raises:
        Conflict: the answer has been forgotten and erased.
    """
    async with engine.loom.database.begin(caller) as tx:
        judged = questions.is_self_judged(await questions.of_run(tx, row.id))
    return replace(stored_outcome(row), self_judged=judged)


async def state_of(engine: Engine, caller: Caller, row: RunRow) -> RunState:
    """Return the state of a run of the caller."""
    if row.status != runs.DONE:
        return RunState(row, row, error=_error_of(engine, row))
    try:
        first = await finished_outcome(engine, caller, row)
    except Conflict as forgotten:
        return RunState(row, row, error=forgotten)
    call = call_of(row, caller, load_graph(row.graph))
    following, key = engine.following(call, first), follow_up_key(call, first)
    if following is None or key is None:
        return RunState(row, row, first)
    if following.refused is not None:
        return RunState(row, row, refused(first, following.refused))
    async with engine.loom.database.begin(caller) as tx:
        second = await runs.find_by_key(tx, following.tool, key)
    return await _with_second(engine, caller, RunState(row, second, first))


async def _with_second(engine: Engine, caller: Caller, state: RunState) -> RunState:
    """Return the state of a run that is done, and of its follow-up."""
    first, second = state.outcome, state.current
    if first is None or second is None:
        return replace(state, outcome=None)
    error = _error_of(engine, second)
    if second.status == runs.DONE:
        try:
            answered = await finished_outcome(engine, caller, second)
            return replace(state, outcome=combined(first, second.tool, answered))
        except Conflict as forgotten:
            error = forgotten
    failed = None if error is None else not_followed(first, second.tool, error.message)
    return replace(state, outcome=failed)


def _error_of(engine: Engine, row: RunRow) -> ReasonloomError | None:
    """Return the error that a run ended with, None if it can still have an answer."""
    if row.status == runs.FAILED:
        stored = row.error or {}
        return restored(str(stored.get("type")), str(stored.get("message", row.status)))
    own_llm = row.fork is None or row.llm == engine.loom.llm.name
    own_version = load_graph(row.graph).version == row.graph_version
    if row.status == runs.INTERRUPTED and not (own_llm and own_version):
        return Conflict(f"run {row.id} was started by another version of {row.tool}; call it again")
    return None


async def finish(engine: Engine, caller: Caller, state: RunState) -> None:
    """Resume what is unfinished of a run that no process executes; another process may do so too.

    Raises:
        ReasonloomError: the run, or its follow-up, has failed.
    """
    row = state.current or state.first
    call = call_of(row, caller, load_graph(row.graph))
    try:
        if state.current is None:
            outcome = stored_outcome(row)
        else:
            outcome = await engine.resume_call(call, row)
        await engine.followed(call, outcome)
    except RunInProgress:
        return


async def cancel(engine: Engine, caller: Caller, state: RunState) -> None:
    """Cancel an unfinished run, whichever process executes it; one that has ended stays as it is.

    Another process stops it when it next renews its leases.
    """
    row = state.current or state.first
    if row.status in ENDED or engine.stop(row.id):
        return
    now: datetime = engine.loom.clock()
    async with engine.loom.database.begin(caller) as tx:
        if row.status == runs.WAITING:
            await runs.end_unfinished(
                tx, row.id, runs.ABANDONED, now, expected=row.status, error=CANCELLED_BY_CLIENT
            )
        elif row.status == runs.INTERRUPTED:
            await runs.end_unfinished(tx, row.id, runs.CANCELLED, now, expected=row.status)
        else:
            await active_runs.revoke_lease(tx, row.id)
