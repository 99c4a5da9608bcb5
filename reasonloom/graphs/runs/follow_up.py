"""Makes the follow-up call that a graph asks for, and combines both answers."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from reasonloom.errors import ReasonloomError
from reasonloom.graphs.graph import FollowUp, load_graph
from reasonloom.graphs.runs.call import Call, Outcome, offset_report
from reasonloom.nodes.loom import Loom

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
        key=f"{call.key} of {call.tool}" if call.key else None,
        report=offset_report(call.report, len(call.graph.build().nodes)),
    )
    try:
        second = await make(then)
    except ReasonloomError as error:
        return _with(first, executed=following.tool, not_executed=error.message)
    done = _with(first, executed=following.tool, result=second.answer)
    return replace(done, notes=list(dict.fromkeys([*first.notes, *second.notes])))


def permitted_follow_up(following: FollowUp, loom: Loom) -> FollowUp:
    """Return the call to make next, or why not: its tool is not served here."""
    if following.refused is not None or loom.offers(following.tool):
        return following
    return FollowUp(refused=NOT_OFFERED.format(tool=following.tool))


def _with(outcome: Outcome, **added: Any) -> Outcome:
    return replace(outcome, answer={**outcome.answer, **added})
