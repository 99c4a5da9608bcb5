"""The barrier after each quarter: all of it is there, and it is decided whether one more begins."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom import errors
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.similarity import similarity_of
from reasonloom.nodes.thinking.insights import (
    contradiction_between,
    disagreements,
    final_claims,
    is_same_insight,
)
from reasonloom.nodes.thinking.quarter import dispatch_streams
from reasonloom.nodes.thinking.state import (
    Brief,
    StreamOutput,
    ThinkingState,
    is_out_of_time,
    last_outputs,
    latest_outputs,
    outputs_of_quarter,
    successful_outputs,
)

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
    if not successful_outputs(brief, state["said"]):
        run = execution.run
        if run.resumed and state.get("redone") != run.started:
            return {"redone": run.started, "barrier": {"quarter": 1, "stopped": None}}
        raise fault_of(latest_outputs(brief, state["said"])[0], "stream")
    quarter = state["barrier"]["quarter"]
    stopped = await _stop_reason(execution, brief, state["said"], quarter)
    return {"barrier": {"quarter": quarter + (not stopped), "stopped": stopped}}


def after_exchange(state: ThinkingState) -> list[Send] | str:
    """Begin the next quarter, with all that was said, or put together what there is."""
    return "synthesise" if state["barrier"]["stopped"] else dispatch_streams(state)


def fault_of(first: StreamOutput, what: str) -> errors.ServiceFault:
    """Return the fault of the first stream or step, where none came to anything."""
    fault = first["fault"]
    return FAULTS[fault["kind"]](f"no {what} came to anything: {fault['message']}")


async def _stop_reason(
    execution: Execution, brief: Brief, said: Sequence[StreamOutput], quarter: int
) -> str | None:
    """Return why this quarter is the last, None where another one begins."""
    now = outputs_of_quarter(latest_outputs(brief, said), quarter)
    kinds = {each["fault"]["kind"] for each in now if "fault" in each}
    if execution.loom.llm.offline:
        return "offline"
    if all("fault" in each for each in now):
        return {"TimedOut": "deadline", "BudgetExceeded": "budget"}.get(min(kinds), "failed")
    if quarter == brief["quarters"]:
        return "finished"
    if await have_agreed(execution.loom.embedder, brief, successful_outputs(brief, said), quarter):
        return "agreed"
    return (
        "deadline"
        if is_out_of_time(execution, brief, quarter, successful_outputs(brief, said))
        else None
    )


async def have_agreed(
    embedder: Embedder, brief: Brief, said: Sequence[StreamOutput], quarter: int
) -> bool:
    """Tell whether two streams or more have come to one conclusion, and none objects.

    In the first quarter nobody has heard the others, and likeness does not tell `A rather than
    B` from `B rather than A`: there only what comes to the same counts as agreement.
    """
    ends = last_outputs(brief, outputs_of_quarter(said, quarter))
    texts = [each["conclusion"] for each in ends.values()]
    if len(texts) < 2 or disagreements(said):  # noqa: PLR2004
        return False
    likeness = await similarity_of(embedder, texts)
    pairs = list(combinations(texts, 2))
    if quarter == 1:
        return all(is_same_insight(*pair, likeness) for pair in pairs)
    if any(likeness.of(*pair) < AGREED for pair in pairs):
        return False
    claims = final_claims(brief, outputs_of_quarter(said, quarter))
    return not any(contradiction_between(*pair) for pair in combinations(claims, 2))
