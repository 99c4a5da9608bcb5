"""Carries one stream through one quarter: one question, told what the others have said."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom.nodes.loom import Execution
from reasonloom.nodes.reasoning.attempts import DEFAULT_CONFIDENCE
from reasonloom.nodes.runs.budget import ReservePolicy, cost_of
from reasonloom.nodes.runs.llm_call import OptionalReply, Question, ask_or_note
from reasonloom.nodes.thinking.offline import think_offline
from reasonloom.nodes.thinking.state import (
    Brief,
    StreamOutput,
    StreamTask,
    ThinkingState,
    insights_of,
    last_outputs,
    outputs_of_quarter,
    reactions_of,
    stream_seconds,
    successful_outputs,
)
from reasonloom.nodes.thinking.streams import STREAMS
from reasonloom.nodes.thinking.synthesis import PROMPT as SYNTHESIS
from reasonloom.nodes.thinking.synthesis import synthesis_variables as of_synthesis
from reasonloom.text.contradiction import is_quoted_from

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Cost

PROMPT = "thinking/stream"
MOST_INSIGHTS = 3
"""Insights of one stream in one quarter."""

UNKNOWN_INSIGHT = "the {stream} stream reacted in quarter {quarter} to what nobody said: {names}"
UNQUOTED = (
    "the {stream} stream disagreed in quarter {quarter} with words that are not there: {names}; "
    "that was left out"
)
SILENT = "the {stream} stream did not react in quarter {quarter} to: {names}"


def dispatch_streams(state: ThinkingState) -> list[Send]:
    """Return the quarter that is to begin: one task for each stream that has not failed."""
    brief, quarter = state["brief"], state["barrier"]["quarter"]
    said = successful_outputs(brief, state.get("said", []))
    before = {each["stream"] for each in outputs_of_quarter(said, quarter - 1)}
    names = [each for each in brief["streams"] if quarter == 1 or each in before]
    return [
        Send(
            "carry_stream",
            StreamTask(
                brief=brief, memories=state["memories"], said=said, stream=name, quarter=quarter
            ),
        )
        for name in names
    ]


async def run_stream(state: StreamTask, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Think one stream's quarter; a call that fails leaves its fault in place of what it said."""
    execution, brief = runtime.context, state["brief"]
    entry: StreamOutput = {"stream": state["stream"], "quarter": state["quarter"]}
    started = time.perf_counter()
    notes: list[str] = []
    if execution.loom.llm.offline:
        said = think_offline(brief, state["memories"], state["stream"])
    else:
        heard = await ask_or_note(execution, _question(execution, state), _task_label(state))
        said, more = _parse_output(heard, state)
        notes = [*heard.notes, *more]
    seconds = round(time.perf_counter() - started, 4)
    return {"said": [{**entry, "seconds": seconds, **_labelled(said, state)}], "notes": notes}


def _task_label(task: StreamTask) -> str:
    name = f"the {task['stream']} stream"
    return f"{name}, quarter {task['quarter']}" if task["brief"]["quarters"] > 1 else name


def _question(execution: Execution, task: StreamTask) -> Question:
    brief, quarter = task["brief"], task["quarter"]
    first = quarter == 1 and task["stream"] == brief["streams"][0]
    several = len(brief["streams"]) > 1
    return Question(
        node="carry_stream",
        prompt=PROMPT,
        variables=stream_variables(task),
        pipe=brief["tool"],
        task=task["stream"],
        n=quarter,
        seconds=stream_seconds(execution, brief, quarter, task["said"]),
        aside=ReservePolicy(
            leave=_synthesis(execution, brief) if several and not first else None, read=several
        ),
    )


def _synthesis(execution: Execution, brief: Brief) -> Cost:
    """Return what the synthesis may cost besides what it reads of the streams."""
    prompt = execution.loom.prompts.get(SYNTHESIS).render(**of_synthesis(brief, [], []))
    return cost_of(execution, prompt)


def stream_variables(task: StreamTask) -> dict[str, Any]:
    """Return what the prompt of a stream's quarter is rendered with."""
    brief, said, name = task["brief"], task["said"], task["stream"]
    stream = STREAMS[name]
    ends = last_outputs(brief, said)
    shown = {other: _stream_view(task, other, ends[other]) for other in ends}
    fresh = reactions_of(outputs_of_quarter(said, task["quarter"] - 1))
    mine = {each["label"] for each in insights_of(said) if each["stream"] == name}
    return {
        "problem": brief["problem"],
        "background": brief["background"],
        "constraints": brief["constraints"],
        "goals": brief["goals"],
        "memories": task["memories"],
        "stream": {"name": name, "told": stream.told, "questions": [*stream.questions]},
        "quarter": task["quarter"] if brief["quarters"] > 1 else 0,
        "own": shown.get(name),
        "others": [shown[other] for other in shown if other != name],
        "answers": [each for each in fresh if each["to"] in mine],
    }


def _stream_view(task: StreamTask, name: str, end: StreamOutput) -> dict[str, Any]:
    """Return a stream as its own next quarter and those of the others are shown it."""
    own = [each for each in task["said"] if each["stream"] == name]
    insights = [
        {**one, "new": each["quarter"] == task["quarter"] - 1}
        for each in own
        for one in each["insights"]
    ]
    return {"name": name, "insights": insights, "conclusion": end["conclusion"]}


def _parse_output(heard: OptionalReply, task: StreamTask) -> tuple[dict[str, Any], list[str]]:
    """Return what was said, the reactions checked; text that is no JSON is a conclusion."""
    if heard.fault:
        kind, message = type(heard.fault).__name__, heard.fault.message
        return {"fault": {"kind": kind, "message": message}}, []
    if heard.parsed is None:
        return {
            "reasoning": [],
            "reactions": [],
            "insights": [],
            "conclusion": heard.text,
            "confidence": DEFAULT_CONFIDENCE,
        }, []
    reactions, notes = _reactions(heard.parsed["reactions"], task)
    return {**heard.parsed, "reactions": reactions}, notes


def _reactions(
    given: Sequence[dict[str, Any]], task: StreamTask
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the reactions to insights of others; a disagreement must quote what it is about."""
    others = [each for each in insights_of(task["said"]) if each["stream"] != task["stream"]]
    known = {each["label"]: each for each in others}
    unknown = [each["to"] for each in given if each["to"] not in known]
    heard = [{**each, "by": task["stream"]} for each in given if each["to"] in known]
    unquoted = [
        each["to"]
        for each in heard
        if each["stance"] == "disagree"
        and not is_quoted_from(each["quote"], known[each["to"]]["content"])
    ]
    fresh = {
        one["stream"]
        for one in insights_of(outputs_of_quarter(task["said"], task["quarter"] - 1))
        if one["stream"] != task["stream"]
    }
    silent = sorted(fresh - {known[each["to"]]["stream"] for each in heard})
    told = ((UNKNOWN_INSIGHT, unknown), (UNQUOTED, unquoted), (SILENT, silent))
    notes = [
        text.format(stream=task["stream"], quarter=task["quarter"], names=", ".join(names[:5]))
        for text, names in told
        if names
    ]
    return [
        each for each in heard if each["stance"] != "disagree" or each["to"] not in unquoted
    ], notes


def _labelled(said: dict[str, Any], task: StreamTask) -> dict[str, Any]:
    """Return what was said with the insights' labels, such as creative-2."""
    if "insights" not in said:
        return said
    first = (task["quarter"] - 1) * MOST_INSIGHTS + 1
    insights = [
        {**each, "label": f"{task['stream']}-{first + place}"}
        for place, each in enumerate(said["insights"][:MOST_INSIGHTS])
    ]
    return {**said, "insights": insights}
