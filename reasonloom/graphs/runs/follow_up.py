"""Makes a graph's follow-up call and combines both answers."""

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
"""A prefix that no caller's key has, because those are printable."""

CONTINUES = "run {first} chose {tool}, which this run executes; its answer has both"
NOT_OFFERED = "{tool} is not offered by this server"


async def run_follow_up(
    make: Callable[[Call], Awaitable[Outcome]], call: Call, first: Outcome, following: FollowUp
) -> Outcome:
    """Make the second call with `make`; return the first outcome with its answer under `result`.

    If the second call cannot be made or fails, the first answer is returned with the reason. The
    second call's idempotency key is derived from the first one's, so neither is executed twice.
    """
    if following.refused is not None:
        return refused(first, following.refused)
    then = replace(
        call,
        tool=following.tool,
        graph=load_graph(following.graph),
        request=following.request,
        key=follow_up_key(call, first),
        report=offset_report(call.report, len(call.graph.build().nodes)),
    )
    try:
        second = await make(then)
    except ReasonloomError as error:
        return not_followed(first, following.tool, error.message)
    return combined(first, following.tool, second)


def combined(first: Outcome, tool: str, second: Outcome) -> Outcome:
    """Return both outcomes combined, or the second one while it waits for the caller."""
    if second.round is not None:
        note = CONTINUES.format(tool=tool, first=first.run_id)
        return replace(second, round=replace(second.round, notes=[note, *second.round.notes]))
    notes = list(dict.fromkeys([*first.notes, *second.notes]))
    done = _with(first, executed=tool, result=second.answer)
    judged = second.self_judged if first.self_judged is None else first.self_judged
    return replace(done, notes=notes, self_judged=judged)


def refused(first: Outcome, reason: str) -> Outcome:
    """Return the first outcome with the reason why no second call was made."""
    return _with(first, not_executed=reason)


def not_followed(first: Outcome, tool: str, reason: str) -> Outcome:
    """Return the first outcome with the reason why the second call failed."""
    return _with(first, executed=tool, not_executed=reason)


def follow_up_key(call: Call, first: Outcome) -> str | None:
    """Return the follow-up's idempotency key; `origin_of` reads a waiting run's origin from it."""
    if call.asks_caller:
        return f"{RESULT_OF}{first.run_id}"
    return f"{call.key} of {call.tool}" if call.key else None


def origin_of(run: RunRow) -> UUID | None:
    """Return the run that a run with questions to its caller follows, None if it follows none."""
    key = run.key or ""
    return UUID(key.removeprefix(RESULT_OF)) if key.startswith(RESULT_OF) else None


def permitted_follow_up(following: FollowUp, loom: Loom) -> FollowUp:
    """Return the call to make next, or a refusal if its tool is not offered here."""
    if following.refused is not None or loom.offers(following.tool):
        return following
    return FollowUp(refused=NOT_OFFERED.format(tool=following.tool))


def _with(outcome: Outcome, **added: Any) -> Outcome:
    return replace(outcome, answer={**outcome.answer, **added})
