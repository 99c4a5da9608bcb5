"""Deliberation: rounds in which streams may retract insights, until a synthesis finds agreement.

A round is synthesised unless its conclusions contradict each other and another round can follow, so
there is a synthesis whatever ends the deliberation.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom.contracts.thinking.think import LongPonder
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.runs.budget import NO_RESERVE, ReservePolicy
from reasonloom.nodes.thinking.begin import ponder_from
from reasonloom.nodes.thinking.exchange import forced_end, restarted, shortfall_note
from reasonloom.nodes.thinking.insights import find_conflicts
from reasonloom.nodes.thinking.quality import dispatch_checks
from reasonloom.nodes.thinking.quarter import dispatch_streams
from reasonloom.nodes.thinking.state import (
    Barrier,
    Brief,
    StreamOutput,
    ThinkingState,
    is_out_of_time,
    last_outputs,
    outputs_of_quarter,
    slowest_seconds,
    successful_outputs,
    withdrawals_of,
)
from reasonloom.nodes.thinking.synthesis import ask_synthesis, combine, parse_synthesis, synthesise

ROUNDS = 2
WEIGHING_SHARE = 0.5
"""Share of the remaining time for a synthesis that another round may follow."""

WITHDREW = "{stream} withdrew it: {why}"
EARLIER = "the last round came to no synthesis of its own: that of the round before stays"


async def begin_deliberation(state: ThinkingState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Start all streams; without a language model there is only one round."""
    request = runtime.context.request(LongPonder)
    return await ponder_from(runtime.context, request, ROUNDS, retracts=True)


async def close_round(state: ThinkingState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Complete a round: decide whether another one is possible after the synthesis.

    If conclusions contradict each other, there is no agreement and the next round starts at once.

    Raises:
        ServiceFault: every stream failed; this is the first stream's fault.
    """
    execution, brief = runtime.context, state["brief"]
    if again := restarted(execution, state):
        return again
    quarter, outputs = state["barrier"]["quarter"], state["said"]
    stopped = forced_end(execution, brief, outputs, quarter)
    if stopped is None and _is_late(execution, brief, quarter, outputs, weighing=True):
        stopped = "deadline"
    if stopped is None and (conflicts := _contradictions(brief, outputs)):
        parties = {name for each in conflicts for name in each["source_streams"]}
        barrier = Barrier(quarter=quarter + 1, stopped=None, streams=sorted(parties))
        return {"barrier": barrier, "points": [each["description"] for each in conflicts]}
    notes = [shortfall_note(brief, outputs)] if stopped == "deadline" else []
    return {"barrier": {**state["barrier"], "stopped": stopped}, "notes": notes}


def after_closing(state: ThinkingState) -> list[Send] | str:
    """Route to the synthesis, to the next round, or to a restart if every stream failed."""
    came = successful_outputs(state["brief"], state["said"])
    over = state["barrier"]["stopped"] or outputs_of_quarter(came, state["barrier"]["quarter"])
    return "synthesise" if over else dispatch_streams(state)


async def weigh_round(state: ThinkingState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Synthesise the round; stop if the streams agree, else record the open points."""
    execution, brief = runtime.context, state["brief"]
    if execution.loom.llm.offline:
        return await synthesise(state, runtime)
    quarter, stopped = state["barrier"]["quarter"], state["barrier"]["stopped"]
    outputs = successful_outputs(brief, state["said"])
    if "synthesis" in state and not outputs_of_quarter(outputs, quarter):
        return {"notes": [EARLIER]}
    conflicts, unsettled = _conflicts(brief, outputs)
    informed = await ask_synthesis(
        execution,
        state,
        outputs,
        unsettled,
        number=quarter,
        reserve=ReservePolicy(last=True) if stopped else NO_RESERVE,
        share=1.0 if stopped else WEIGHING_SHARE,
    )
    heard, notes = informed.reply, [*informed.reply.notes, *informed.notes]
    made = parse_synthesis(heard, last_outputs(brief, outputs))
    added: dict[str, Any] = {"notes": notes}
    if made["made"] or (stopped and "synthesis" not in state):
        _resolve(unsettled, heard.parsed or {})
        synthesis, more = await combine(execution, brief, outputs, made, conflicts)
        added = {"synthesis": synthesis, "notes": [*notes, *more]}
    elif stopped:
        added["notes"] = [*notes, EARLIER]
    return added | ({} if stopped else _next(execution, state, heard.parsed or {}, added["notes"]))


def after_weighing(state: ThinkingState) -> list[Send] | str:
    """Route to another round or to the checks of the conclusion."""
    return dispatch_checks(state) if state["barrier"]["stopped"] else dispatch_streams(state)


def _next(
    execution: Execution, state: ThinkingState, reply: Mapping[str, Any], notes: list[str]
) -> dict[str, Any]:
    """Return the barrier and the open points after a synthesis that need not be the last.

    The streams named in the open points run again; if fewer than two are named, all do.
    """
    brief, quarter, outputs = state["brief"], state["barrier"]["quarter"], state["said"]
    if reply.get("agree") is True:
        return {"barrier": {"quarter": quarter, "stopped": "agreed"}}
    if reply and _is_late(execution, brief, quarter, outputs, weighing=False):
        late = shortfall_note(brief, outputs)
        return {"barrier": {"quarter": quarter, "stopped": "deadline"}, "notes": [*notes, late]}
    barrier = Barrier(quarter=quarter + 1, stopped=None)
    opened = reply.get("open", [])
    named = {name for each in opened for name in each["streams"]}
    chosen = [name for name in last_outputs(brief, outputs) if name in named]
    if len(chosen) > 1:
        barrier["streams"] = chosen
    return {"barrier": barrier, "points": [each["point"] for each in opened]}


def _is_late(
    execution: Execution,
    brief: Brief,
    quarter: int,
    outputs: Sequence[StreamOutput],
    *,
    weighing: bool,
) -> bool:
    """Return whether there is no time for another round, with `weighing` after a synthesis."""
    good = successful_outputs(brief, outputs)
    before = slowest_seconds(good) if weighing else 0.0
    return is_out_of_time(execution, brief, quarter, good, before=before)


def _contradictions(brief: Brief, outputs: Sequence[StreamOutput]) -> list[dict[str, Any]]:
    """Return the conflicts between the streams' conclusions."""
    ends = last_outputs(brief, outputs)
    return [each for each in find_conflicts(brief, outputs) if set(each["labels"]) <= ends.keys()]


def _conflicts(
    brief: Brief, outputs: Sequence[StreamOutput]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return all conflicts, and those that no withdrawal has resolved."""
    withdrawn = withdrawals_of(outputs)
    conflicts = find_conflicts(brief, outputs)
    for each in conflicts:
        label = next((label for label in each["labels"] if label in withdrawn), None)
        if label:
            stream = label.rpartition("-")[0]
            each["resolved"] = WITHDREW.format(stream=stream, why=withdrawn[label])
    return conflicts, [each for each in conflicts if "resolved" not in each]


def _resolve(conflicts: Sequence[dict[str, Any]], reply: Mapping[str, Any]) -> None:
    """Mark the conflicts that a synthesis resolves, identified by their numbers in its prompt."""
    for each in reply.get("resolved", []):
        if 0 < each["conflict"] <= len(conflicts):
            conflicts[each["conflict"] - 1]["resolved"] = each["how"]
