"""The barrier after each quarter: all of it is there, and it is decided whether one more begins."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom import errors
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.similarity import likeness_of
from reasonloom.nodes.thinking.conflicts import disagreements, ends_of, shown
from reasonloom.nodes.thinking.insights import same
from reasonloom.nodes.thinking.quarter import spread
from reasonloom.nodes.thinking.state import (
    Brief,
    Said,
    ThinkingState,
    came,
    last_of,
    latest,
    of_quarter,
)
from reasonloom.nodes.thinking.timing import is_over

if TYPE_CHECKING:
    from reasonloom.llm.port import Embedder

AGREED = 0.8
"""The likeness from which two conclusions agree, once the streams have heard each other."""

FAULTS: dict[str, type[errors.ServiceFault]] = {
    kind.__name__: kind
    for kind in (errors.LlmUnavailable, errors.LlmRefused, errors.TimedOut, errors.BudgetExceeded)
}


async def exchange(state: ThinkingState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Wait for all streams; end the thinking where nothing more is to come, or go on.

    Where no stream came at all they begin anew, once for each time that the run is taken up.

    Raises:
        ServiceFault: no stream came to anything; the first one's fault.
    """
    execution, brief = runtime.context, state["brief"]
    if not came(brief, state["said"]):
        run = execution.run
        if run.resumed and state.get("redone") != run.started:
            return {"redone": run.started, "barrier": {"quarter": 1, "stopped": None}}
        raise fault_of(latest(brief, state["said"])[0], "stream")
    quarter = state["barrier"]["quarter"]
    stopped = await _stopped(execution, brief, state["said"], quarter)
    return {"barrier": {"quarter": quarter + (not stopped), "stopped": stopped}}


def after_exchange(state: ThinkingState) -> list[Send] | str:
    """Begin the next quarter, with all that was said, or put together what there is."""
    return "synthesise" if state["barrier"]["stopped"] else spread(state)


def fault_of(first: Said, what: str) -> errors.ServiceFault:
    """Return the fault of the first stream or step, where none came to anything."""
    fault = first["fault"]
    return FAULTS[fault["kind"]](f"no {what} came to anything: {fault['message']}")


async def _stopped(
    execution: Execution, brief: Brief, said: Sequence[Said], quarter: int
) -> str | None:
    """Return why this quarter is the last, None where another one begins."""
    now = of_quarter(latest(brief, said), quarter)
    kinds = {each["fault"]["kind"] for each in now if "fault" in each}
    if execution.loom.llm.offline:
        return "offline"
    if all("fault" in each for each in now):
        return {"TimedOut": "deadline", "BudgetExceeded": "budget"}.get(min(kinds), "failed")
    if quarter == brief["quarters"]:
        return "finished"
    if await agreed(execution.loom.embedder, brief, came(brief, said), quarter):
        return "agreed"
    return "deadline" if is_over(execution, brief, quarter, came(brief, said)) else None


async def agreed(embedder: Embedder, brief: Brief, said: Sequence[Said], quarter: int) -> bool:
    """Tell whether two streams or more have come to one conclusion, and none objects.

    In the first quarter nobody has heard the others, and likeness does not tell `A rather than
    B` from `B rather than A`: there only what comes to the same counts as agreement.
    """
    ends = last_of(brief, of_quarter(said, quarter))
    texts = [each["conclusion"] for each in ends.values()]
    if len(texts) < 2 or disagreements(said):  # noqa: PLR2004
        return False
    likeness = await likeness_of(embedder, texts)
    pairs = list(combinations(texts, 2))
    if quarter == 1:
        return all(same(*pair, likeness) for pair in pairs)
    if any(likeness.of(*pair) < AGREED for pair in pairs):
        return False
    claims = ends_of(brief, of_quarter(said, quarter))
    return not any(shown(*pair) for pair in combinations(claims, 2))
