"""Makes the follow-up call that a graph asks for, and combines both answers."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any
from uuid import UUID

from reasonloom.errors import ReasonloomError
from reasonloom.graphs.graph import FollowUp, load_graph
from reasonloom.graphs.runs.call import Call, Outcome, offset_report
from reasonloom.nodes.execution import Loom
from reasonloom.stores.runs.runs import RunRow

RESULT_OF = "\x1fresult of "
"""What no caller's key begins with: those are printable."""

CONTINUES = "run {first} chose {tool}, which this run carries out; its answer has both"
NOT_OFFERED = "{tool} is not offered by this server"


async def run_follow_up(
    make: Callable[[Call], Awaitable[Outcome]], call: Call, first: Outcome, following: FollowUp
) -> Outcome:
    """Return the first outcome with the second's answer under `result`; `make` makes a call.

    If the second call cannot be made or fails, the first answer remains and says why. With an
    idempotency key the second call has one derived from it: neither is done twice.
    """
    if following.refused is not None:
        return _with(first, not_executed=following.refused)
    then = replace(
        call,
        tool=following.tool,
        graph=load_graph(following.graph),
        request=following.request,
        key=_key(call, first),
        report=offset_report(call.report, len(call.graph.build().nodes)),
    )
    try:
        second = await make(then)
    except ReasonloomError as error:
        return _with(first, executed=following.tool, not_executed=error.message)
    return combined(first, following.tool, second)


def combined(first: Outcome, tool: str, second: Outcome) -> Outcome:
    """Return the first outcome with that of the call to `tool`, or the latter where it waits."""
    if second.round is not None:
        note = CONTINUES.format(tool=tool, first=first.run_id)
        return replace(second, round=replace(second.round, notes=[note, *second.round.notes]))
    notes = list(dict.fromkeys([*first.notes, *second.notes]))
    done = _with(first, executed=tool, result=second.answer)
    judged = second.self_judged if first.self_judged is None else first.self_judged
    return replace(done, notes=notes, self_judged=judged)


def _key(call: Call, first: Outcome) -> str | None:
    """Return the follow-up's idempotency key; one that may wait is found by it, see `origin_of`."""
    if call.asks_caller:
        return f"{RESULT_OF}{first.run_id}"
    return f"{call.key} of {call.tool}" if call.key else None


def origin_of(run: RunRow) -> UUID | None:
    """Return the run that one which has asked its caller follows, None if it follows none."""
    key = run.key or ""
    return UUID(key.removeprefix(RESULT_OF)) if key.startswith(RESULT_OF) else None


def permitted_follow_up(following: FollowUp, loom: Loom) -> FollowUp:
    """Return the call to make next, or why not: its tool is not served here."""
    if following.refused is not None or loom.offers(following.tool):
        return following
    return FollowUp(refused=NOT_OFFERED.format(tool=following.tool))


def _with(outcome: Outcome, **added: Any) -> Outcome:
    return replace(outcome, answer={**outcome.answer, **added})
