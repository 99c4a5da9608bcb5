"""Combines the streams: conclusion, ranked advice with sources, conflicts and quality."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.nodes.execution import Execution
from reasonloom.nodes.offline import confidence_of, open_question, quotes_on
from reasonloom.nodes.reasoning.lookup import Informed, ask_informed_or_note
from reasonloom.nodes.runs.budget import ReservePolicy
from reasonloom.nodes.runs.llm_call import OptionalReply, Question
from reasonloom.nodes.similarity import Similarity, similarity_of
from reasonloom.nodes.thinking.closed import majority_of
from reasonloom.nodes.thinking.insights import (
    LEFT_OUT,
    MOST_INSIGHTS,
    find_conflicts,
    foremost_insights,
    merge_insights,
)
from reasonloom.nodes.thinking.quality import covered_goals, quality_parts, topics_of
from reasonloom.nodes.thinking.state import (
    SYNTHESIS_SHARE,
    Brief,
    StreamOutput,
    ThinkingState,
    insights_of,
    last_outputs,
    prompt_context,
    seconds_until,
    successful_outputs,
    withdrawals_of,
)

PROMPT, DELIBERATION = "thinking/synthesise", "thinking/deliberate"
LAST = ReservePolicy(last=True)
TOGETHER = "What do the streams come to together?"
SOURCES_GUESSED = "a recommendation named no source; the streams it is most like are named instead"
UNKNOWN = "the synthesis named sources that do not exist: {names}"
EXTRACTED = "there is no synthesis: the conclusion is that of the surest stream alone"
UNWEIGHED = "the {stream} stream came to it; it was not compared with the others"


async def synthesise(state: ThinkingState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Combine the streams' outputs; a single stream's or a majority's conclusion is used as is."""
    execution, brief = runtime.context, state["brief"]
    outputs = successful_outputs(brief, state["said"])
    ends = last_outputs(brief, outputs)
    if execution.loom.llm.offline:
        return {"synthesis": _open_synthesis(state, [*ends.values()])}
    conflicts = find_conflicts(brief, outputs)
    majority = majority_of(brief, ends)
    checks: list[str] = []
    if len(brief["streams"]) == 1 or majority:
        conclusion = majority[0] if majority else next(iter(ends.values()))["conclusion"]
        made: dict[str, Any] = {"conclusion": conclusion, "advice": [], "made": True}
        heard = OptionalReply()
    else:
        informed = await ask_synthesis(execution, state, outputs, conflicts)
        heard, checks = informed.reply, informed.notes
        made = parse_synthesis(heard, ends)
    synthesis, notes = await combine(execution, brief, outputs, made, conflicts)
    if majority:
        synthesis["parts"]["agreement"] = round(majority[1], 4)
    return {"synthesis": synthesis, "notes": [*heard.notes, *checks, *notes]}


async def combine(
    execution: Execution,
    brief: Brief,
    outputs: Sequence[StreamOutput],
    made: Mapping[str, Any],
    conflicts: Sequence[dict[str, Any]],
) -> tuple[dict[str, Any], list[str]]:
    """Return the synthesis with everything computed from the streams, and notes.

    `made` contains the conclusion, the advice, and the flag `made`, which is False if there was no
    synthesis and these are the streams' own.
    """
    ends = last_outputs(brief, outputs)
    insights = insights_of(outputs)
    conclusions = [each["conclusion"] for each in ends.values()]
    compared = [each["content"] for each in insights] + conclusions + topics_of(brief)
    compared += [made["conclusion"], *(each["description"] for each in made["advice"])]
    likeness = await similarity_of(execution.loom.embedder, compared)
    best = merge_insights(insights, likeness, withdrawals_of(outputs))
    advice, notes = _sourced(made["advice"], insights, ends, likeness)
    if len(best) > MOST_INSIGHTS:
        notes.append(LEFT_OUT.format(count=len(best) - MOST_INSIGHTS))
    contents = [each["content"] for each in best if "withdrawn" not in each]
    synthesis = {
        "conclusion": made["conclusion"],
        "made": made["made"],
        "advice": advice,
        "conflicts": [*conflicts],
        "insights": foremost_insights(best),
        "parts": quality_parts(brief, contents, conclusions, likeness),
        "goals": covered_goals(brief, [*contents, made["conclusion"]], likeness),
    }
    missing = [] if made["made"] else [EXTRACTED]
    return synthesis, [*missing, *notes, *likeness.notes]


def _open_synthesis(state: ThinkingState, ends: Sequence[StreamOutput]) -> dict[str, Any]:
    brief = state["brief"]
    quotes = quotes_on(brief["problem"], state["memories"], brief["background"])
    question = ends[0]["conclusion"]
    if len(ends) > 1:
        question = open_question(TOGETHER, brief["problem"])
    sure = confidence_of(quotes)
    insights = {"sources": [], "importance": 0.0, "confidence": sure}
    return {
        "conclusion": "\n".join([*quotes, question]),
        "confidence": sure,
        "made": True,
        "advice": [],
        "conflicts": [],
        "insights": [{"content": each, **insights} for each in quotes],
        "parts": dict.fromkeys(("coverage", "agreement", "diversity"), 0.0),
        "goals": [{"goal": each, "covered": 0.0} for each in brief["goals"]],
    }


async def ask_synthesis(
    execution: Execution,
    state: ThinkingState,
    outputs: Sequence[StreamOutput],
    conflicts: Sequence[dict[str, Any]],
    *,
    number: int = 0,
    reserve: ReservePolicy = LAST,
    share: float = 1.0,
) -> Informed[OptionalReply]:
    """Ask for a synthesis: the run's `number`th one, with `share` of the remaining time."""
    brief, memories = state["brief"], state.get("memories", [])
    used = [each for each in memories if each["id"] in state.get("used", [])]
    left = seconds_until(execution, brief, SYNTHESIS_SHARE)
    question = Question(
        node="synthesise",
        prompt=synthesis_prompt(brief),
        variables=synthesis_variables(brief, outputs, conflicts, used),
        pipe=brief["tool"],
        n=number,
        seconds=None if left is None else left * share,
        aside=reserve,
    )
    others = [each for each in memories if each not in used]
    return await ask_informed_or_note(execution, question, "the synthesis", against=others)


def synthesis_prompt(brief: Brief) -> str:
    """Return the name of the prompt; that of a deliberation also tests for agreement."""
    return DELIBERATION if brief.get("retracts") else PROMPT


def synthesis_variables(
    brief: Brief,
    outputs: Sequence[StreamOutput],
    conflicts: Sequence[Mapping[str, Any]],
    memories: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the prompt variables of a synthesis; `memories` are those that the streams used."""
    withdrawn = withdrawals_of(outputs)
    insights = [
        {**each, "withdrawn": withdrawn.get(each["label"], "")} for each in insights_of(outputs)
    ]
    return {
        **prompt_context(brief),
        "memories": [*memories],
        "streams": [
            {
                "name": name,
                "insights": [each for each in insights if each["stream"] == name],
                "conclusion": end["conclusion"],
            }
            for name, end in last_outputs(brief, outputs).items()
        ],
        "conflicts": [each["description"] for each in conflicts],
    }


def parse_synthesis(reply: OptionalReply, ends: Mapping[str, StreamOutput]) -> dict[str, Any]:
    """Return the conclusion and the advice; the streams' own if there is no synthesis."""
    if reply.parsed is not None:
        parsed = reply.parsed
        return {
            "conclusion": parsed["conclusion"],
            "advice": parsed["recommendations"],
            "made": True,
        }
    surest = max(ends.values(), key=lambda each: each["confidence"])
    return {
        "conclusion": reply.text or surest["conclusion"],
        "advice": _advice_of(ends),
        "made": bool(reply.text),
    }


def _advice_of(ends: Mapping[str, StreamOutput]) -> list[dict[str, Any]]:
    """Return the streams' conclusions as advice, most confident first."""
    ordered = sorted(ends.values(), key=lambda each: -each["confidence"])
    return [
        {
            "description": end["conclusion"],
            "sources": [end["stream"]],
            "rationale": UNWEIGHED.format(stream=end["stream"]),
        }
        for end in ordered
    ]


def _sourced(
    advice: Sequence[dict[str, Any]],
    insights: Sequence[dict[str, Any]],
    ends: Mapping[str, StreamOutput],
    likeness: Similarity,
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the advice with its source streams and their confidence, and notes."""
    known = {each["label"]: (each["stream"], float(each["confidence"])) for each in insights}
    known |= {name: (name, float(end["confidence"])) for name, end in ends.items()}
    conclusions = {name: end["conclusion"] for name, end in ends.items()}
    unknown: dict[str, None] = {}
    notes: list[str] = []
    found = []
    for priority, each in enumerate(advice, 1):
        named = [known[name] for name in each["sources"] if name in known]
        unknown |= dict.fromkeys(name for name in each["sources"] if name not in known)
        if not named:
            named = [known[name] for name in likeness.nearest(each["description"], conclusions)]
            notes = [SOURCES_GUESSED]
        found.append(
            {
                "description": each["description"],
                "sources": list(dict.fromkeys(stream for stream, _ in named)),
                "priority": priority,
                "confidence": round(fmean(confidence for _, confidence in named), 4),
                "rationale": each["rationale"],
            }
        )
    if unknown:
        notes.append(UNKNOWN.format(names=", ".join([*unknown][:5])))
    return found, notes
