"""The barrier after each quarter, which decides whether another one follows."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom.errors import ServiceFault
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.runs.llm_call import restored_fault
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
    name_of_part,
    outputs_of_quarter,
    successful_outputs,
)

AGREED = 0.8
"""Minimum similarity of agreeing conclusions, once the streams have seen each other's."""

TIME_FOR = (
    "{seconds:g} s were enough for {quarters} of {all_quarters} {part}s, in {streams} of "
    "{all_streams} streams; a longer `timeout` gives the rest"
)


async def exchange(state: ThinkingState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Complete a quarter: stop thinking or start another quarter.

    If every stream failed, all start over, once per resumption of the run.

    Raises:
        ServiceFault: every stream failed; this is the first stream's fault.
    """
    execution, brief = runtime.context, state["brief"]
    if again := restarted(execution, state):
        return again
    quarter = state["barrier"]["quarter"]
    stopped = await _stop_reason(execution, brief, state["said"], quarter)
    notes = [shortfall_note(brief, state["said"])] if stopped == "deadline" else []
    return {"barrier": {"quarter": quarter + (not stopped), "stopped": stopped}, "notes": notes}


def restarted(execution: Execution, state: ThinkingState) -> dict[str, Any]:
    """Return the state update that restarts the streams if every one failed, else an empty one.

    Raises:
        ServiceFault: every stream failed and none is restarted; this is the first stream's fault.
    """
    run, brief = execution.run, state["brief"]
    if successful_outputs(brief, state["said"]):
        return {}
    if run.retries and state.get("redone") != run.started:
        return {"redone": run.started, "barrier": {"quarter": 1, "stopped": None}}
    raise fault_of(latest_outputs(brief, state["said"])[0], "stream")


def shortfall_note(brief: Brief, outputs: Sequence[StreamOutput]) -> str:
    """Return a note on how many quarters and streams the time sufficed for."""
    good = successful_outputs(brief, outputs)
    return TIME_FOR.format(
        seconds=brief["seconds"],
        quarters=max(each["quarter"] for each in good),
        all_quarters=brief["quarters"],
        part=name_of_part(brief),
        streams=len({each["stream"] for each in good}),
        all_streams=len(brief["streams"]),
    )


def after_exchange(state: ThinkingState) -> list[Send] | str:
    """Route to the next quarter or the synthesis."""
    return "synthesise" if state["barrier"]["stopped"] else dispatch_streams(state)


def fault_of(first: StreamOutput, what: str) -> ServiceFault:
    """Return the fault of the first stream or step as the error that ends the run."""
    fault = first["fault"]
    return restored_fault(fault["kind"], f"no {what} came to anything: {fault['message']}")


async def _stop_reason(
    execution: Execution, brief: Brief, outputs: Sequence[StreamOutput], quarter: int
) -> str | None:
    """Return why this quarter is the last, None if another follows."""
    if stopped := forced_end(execution, brief, outputs, quarter):
        return stopped
    good = successful_outputs(brief, outputs)
    if await have_agreed(execution.loom.embedder, brief, good, quarter):
        return "agreed"
    return "deadline" if is_out_of_time(execution, brief, quarter, good) else None


def forced_end(
    execution: Execution, brief: Brief, outputs: Sequence[StreamOutput], quarter: int
) -> str | None:
    """Return why no quarter can follow this one, regardless of agreement; None if one can."""
    now = outputs_of_quarter(latest_outputs(brief, outputs), quarter)
    kinds = {each["fault"]["kind"] for each in now if "fault" in each}
    if execution.loom.llm.offline:
        return "offline"
    if all("fault" in each for each in now):
        return {"TimedOut": "deadline", "BudgetExceeded": "budget"}.get(min(kinds), "failed")
    return "finished" if quarter == brief["quarters"] else None


async def have_agreed(
    embedder: Embedder, brief: Brief, outputs: Sequence[StreamOutput], quarter: int
) -> bool:
    """Return whether at least two streams share one conclusion and none disagrees.

    In the first quarter the streams have not seen each other, and similarity does not distinguish
    `A rather than B` from `B rather than A`, so only equivalent conclusions count as agreement.
    """
    ends = last_outputs(brief, outputs_of_quarter(outputs, quarter))
    texts = [each["conclusion"] for each in ends.values()]
    if len(texts) < 2 or disagreements(outputs):  # noqa: PLR2004
        return False
    likeness = await similarity_of(embedder, texts)
    pairs = list(combinations(texts, 2))
    if quarter == 1:
        return all(is_same_insight(*pair, likeness) for pair in pairs)
    if any(likeness.of(*pair) < AGREED for pair in pairs):
        return False
    claims = final_claims(brief, outputs_of_quarter(outputs, quarter))
    return not any(contradiction_between(*pair) for pair in combinations(claims, 2))
