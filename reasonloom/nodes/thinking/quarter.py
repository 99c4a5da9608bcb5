"""Runs one stream for one quarter, with a prompt that includes the other streams' output."""

import asyncio
import time
from collections.abc import Iterable, Sequence
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom.llm.off_schema import DEFAULT_CONFIDENCE
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.offline import open_question
from reasonloom.nodes.reasoning.lookup import (
    Informed,
    ask_informed,
    ask_informed_or_note,
    first_variables,
    informed_by,
)
from reasonloom.nodes.runs.budget import ReservePolicy, cost_of
from reasonloom.nodes.runs.llm_call import (
    OptionalReply,
    Question,
    ask_or_note,
    late_reply,
    saved_fault,
)
from reasonloom.nodes.thinking.state import (
    StreamOutput,
    StreamTask,
    ThinkingState,
    awaited_seconds,
    insights_of,
    last_outputs,
    name_of_part,
    outputs_of_quarter,
    prompt_context,
    reactions_of,
    stream_seconds,
    successful_outputs,
    withdrawals_of,
)
from reasonloom.nodes.thinking.streams import STREAMS
from reasonloom.nodes.thinking.synthesis import synthesis_prompt, synthesis_variables
from reasonloom.text.contradiction import is_quoted_from

PROMPT = "thinking/stream"
MOST_QUARTER_INSIGHTS = 3
UNKNOWN_INSIGHT = "the {stream} stream reacted in {part} to what nobody said: {names}"
UNQUOTED = (
    "the {stream} stream disagreed in {part} with words that are not there: {names}; "
    "that was left out"
)
SILENT = "the {stream} stream did not react in {part} to: {names}"
NOT_ITS_OWN = "the {stream} stream withdrew in {part} what it had not said: {names}"


def dispatch_streams(state: ThinkingState) -> list[Send]:
    """Return one task for each chosen stream that did not fail in the previous quarter."""
    brief, quarter = state["brief"], state["barrier"]["quarter"]
    outputs = successful_outputs(brief, state.get("said", []))
    before = {each["stream"] for each in outputs_of_quarter(outputs, quarter - 1)}
    chosen = state["barrier"].get("streams", brief["streams"])
    names = [each for each in chosen if quarter == 1 or each in before]
    return [
        Send(
            "carry_stream",
            StreamTask(
                brief=brief,
                memories=state["memories"],
                said=outputs,
                stream=name,
                quarter=quarter,
                points=state.get("points", []),
            ),
        )
        for name in names
    ]


async def run_stream(state: StreamTask, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Run a stream for a quarter; if its call fails, the fault is its output."""
    execution, brief = runtime.context, state["brief"]
    entry: StreamOutput = {"stream": state["stream"], "quarter": state["quarter"]}
    started = time.perf_counter()
    notes: list[str] = []
    added: dict[str, Any] = {}
    if execution.loom.llm.offline:
        output = _open_output(brief["problem"], state["stream"])
    else:
        label = f"the {state['stream']} stream"
        label += f", {_part(state)}" if brief["quarters"] > 1 else ""
        informed = await _ask(execution, state, label)
        output, more = _parse_output(informed.reply, state)
        notes, added = [*informed.reply.notes, *informed.notes, *more], informed.added
    seconds = round(time.perf_counter() - started, 4)
    made = {**entry, "seconds": seconds, **_labelled(output, state)}
    return {"said": [made], "notes": notes, **added}


def _open_output(problem: str, stream: str) -> dict[str, Any]:
    questions = STREAMS[stream].questions
    return {
        "reasoning": [open_question(each, problem) for each in questions],
        "reactions": [],
        "insights": [],
        "conclusion": open_question(questions[0], problem),
        "confidence": 0.0,
    }


async def _ask(execution: Execution, task: StreamTask, label: str) -> Informed[OptionalReply]:
    """Query a stream; in the first quarter, the first to finish limits the time of the others."""
    question = _question(execution, task)
    if task["quarter"] > 1:
        return await ask_informed_or_note(execution, question, label)
    started, limits = time.perf_counter(), execution.run.limits
    memories = task["memories"]
    last: tuple[OptionalReply, list[dict[str, Any]]] | None = None

    async def ask_once(again: Question) -> OptionalReply:
        nonlocal last
        reply = await ask_or_note(execution, again, label)
        if reply.fault is None:
            last = (reply, again.variables["memories"])
        return reply

    try:
        async with asyncio.timeout(None) as limit:
            limits.add(limit)
            informed = await ask_informed(execution, question, ask_once)
    except TimeoutError:  # if a follow-up after a look-up is too late, the earlier reply counts
        if last is None:
            last = (late_reply(label, time.perf_counter() - started), memories)
        informed = informed_by(*last, len(memories))
    finally:
        limits.discard(limit)
    seconds = awaited_seconds(execution, task["brief"], time.perf_counter() - started)
    if informed.reply.fault is None and seconds is not None:
        _shorten(limits, seconds)
    return informed


def _shorten(limits: Iterable[asyncio.Timeout], seconds: float) -> None:
    """Shorten each running time limit to at most `seconds` from now."""
    end = asyncio.get_running_loop().time() + seconds
    for limit in limits:
        if not limit.expired() and (limit.when() or end) >= end:
            limit.reschedule(end)


def _question(execution: Execution, task: StreamTask) -> Question:
    brief, quarter = task["brief"], task["quarter"]
    several, reserve = len(brief["streams"]) > 1, None
    if several and (quarter > 1 or task["stream"] != brief["streams"][0]):
        name = synthesis_prompt(brief)
        given = first_variables(execution, name, synthesis_variables(brief, [], [], []))
        reserve = cost_of(execution, execution.loom.prompts.get(name).render(**given))
    return Question(
        node="carry_stream",
        prompt=PROMPT,
        variables=stream_variables(task),
        pipe=brief["tool"],
        task=task["stream"],
        n=quarter,
        seconds=stream_seconds(execution, brief, quarter, task["said"]),
        aside=ReservePolicy(leave=reserve, read=several),
    )


def stream_variables(task: StreamTask) -> dict[str, Any]:
    """Return the prompt variables of a stream's quarter."""
    brief, outputs, name = task["brief"], task["said"], task["stream"]
    stream = STREAMS[name]
    ends = last_outputs(brief, outputs)
    views = {other: _stream_view(task, other, ends[other]) for other in ends}
    fresh = reactions_of(outputs_of_quarter(outputs, task["quarter"] - 1))
    mine = {each["label"] for each in insights_of(outputs) if each["stream"] == name}
    return {
        **prompt_context(brief),
        "memories": task["memories"],
        "stream": {"name": name, "told": stream.instruction, "questions": [*stream.questions]},
        "quarter": task["quarter"] if brief["quarters"] > 1 else 0,
        "rounds": brief["quarters"] if brief.get("retracts") else 0,
        "counted": brief["quarters"] == 1 and len(brief["streams"]) > 1,
        "own": views.get(name),
        "others": [views[other] for other in views if other != name],
        "answers": [each for each in fresh if each["to"] in mine],
        "points": task.get("points", []),
    }


def _stream_view(task: StreamTask, name: str, end: StreamOutput) -> dict[str, Any]:
    withdrawn = withdrawals_of(task["said"])
    insights = [
        {
            **one,
            "new": each["quarter"] == task["quarter"] - 1,
            "withdrawn": withdrawn.get(one["label"], ""),
        }
        for each in task["said"]
        if each["stream"] == name
        for one in each["insights"]
    ]
    return {"name": name, "insights": insights, "conclusion": end["conclusion"]}


def _parse_output(heard: OptionalReply, task: StreamTask) -> tuple[dict[str, Any], list[str]]:
    """Return the output and notes on it; a reply that is not JSON becomes the conclusion."""
    if heard.fault:
        return saved_fault(heard.fault), []
    if heard.parsed is None:
        return {
            "reasoning": [],
            "reactions": [],
            "insights": [],
            "conclusion": heard.text,
            "confidence": DEFAULT_CONFIDENCE,
        }, []
    reactions, notes = _reactions(heard.parsed["reactions"], task)
    withdrawn, more = _withdrawn(heard.parsed.get("withdrawn") or [], task)
    parsed = {**heard.parsed, "reactions": reactions, "withdrawn": withdrawn}
    return parsed, [*notes, *more]


def _withdrawn(
    given: Sequence[dict[str, Any]], task: StreamTask
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the valid withdrawals of a stream's own earlier insights, and a note on others."""
    if not task["brief"].get("retracts"):
        return [], []
    own = {each["label"] for each in insights_of(task["said"]) if each["stream"] == task["stream"]}
    foreign = [each["label"] for each in given if each["label"] not in own]
    notes = [_note(NOT_ITS_OWN, task, foreign)] if foreign else []
    return [each for each in given if each["label"] in own], notes


def _note(text: str, task: StreamTask, names: Sequence[str]) -> str:
    return text.format(stream=task["stream"], part=_part(task), names=", ".join(names[:5]))


def _part(task: StreamTask) -> str:
    return f"{name_of_part(task['brief'])} {task['quarter']}"


def _reactions(
    given: Sequence[dict[str, Any]], task: StreamTask
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the valid reactions to others' insights, and notes; disagreements must quote."""
    others = [each for each in insights_of(task["said"]) if each["stream"] != task["stream"]]
    known = {each["label"]: each for each in others}
    unknown = [each["to"] for each in given if each["to"] not in known]
    answered = [{**each, "by": task["stream"]} for each in given if each["to"] in known]
    unquoted = [
        each["to"]
        for each in answered
        if each["stance"] == "disagree"
        and not is_quoted_from(each["quote"], known[each["to"]]["content"])
    ]
    fresh = {
        one["stream"]
        for one in insights_of(outputs_of_quarter(task["said"], task["quarter"] - 1))
        if one["stream"] != task["stream"]
    }
    silent = sorted(fresh - {known[each["to"]]["stream"] for each in answered})
    remarks = ((UNKNOWN_INSIGHT, unknown), (UNQUOTED, unquoted), (SILENT, silent))
    notes = [_note(text, task, names) for text, names in remarks if names]
    return [
        each for each in answered if each["stance"] != "disagree" or each["to"] not in unquoted
    ], notes


def _labelled(output: dict[str, Any], task: StreamTask) -> dict[str, Any]:
    """Return the output with labels on its insights, such as creative-2."""
    if "insights" not in output:
        return output
    first = (task["quarter"] - 1) * MOST_QUARTER_INSIGHTS + 1
    insights = [
        {**each, "label": f"{task['stream']}-{first + place}"}
        for place, each in enumerate(output["insights"][:MOST_QUARTER_INSIGHTS])
    ]
    return {**output, "insights": insights}
