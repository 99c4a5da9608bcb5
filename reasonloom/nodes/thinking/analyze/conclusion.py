"""Draws the conclusion of the steps, and holds it against goals and constraints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom.nodes.loom import Execution
from reasonloom.nodes.runs.ask_or_say import Heard, ask_or_say
from reasonloom.nodes.runs.budget import Aside
from reasonloom.nodes.runs.llm_call import Question
from reasonloom.nodes.similarity import likeness_of
from reasonloom.nodes.thinking.analyze.frameworks.catalog import FRAMEWORKS
from reasonloom.nodes.thinking.analyze.plain_steps import plain_conclusion
from reasonloom.nodes.thinking.analyze.selection import ANALYZE
from reasonloom.nodes.thinking.analyze.state import AnalysisState, Done, came, missing
from reasonloom.nodes.thinking.checks import WHOLE, Checked
from reasonloom.nodes.thinking.insights import LEFT_OUT, MOST, merged
from reasonloom.nodes.thinking.quality import covered
from reasonloom.nodes.thinking.state import Brief
from reasonloom.text.extraction import as_prose, sentences_in

PROMPT = "analysis/conclude"
SENTENCES = 2
"""Sentences of the last step where there is no conclusion."""

EXTRACTED = "there is no conclusion: the last step's first sentences stand in its place"
UNKNOWN = "the conclusion named results that do not exist: {names}"
UNNAMED = "the conclusion named none of the results that it rests on"
BY_WORDS = (
    "made without a language model: which framework fits, and which sentence answers a question, "
    "is told by words known in English and German"
)


async def conclude(state: AnalysisState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Say what the steps come to together; of two frameworks, what both come to."""
    execution, plan, brief = runtime.context, state["plan"], state["brief"]
    done = came(plan, state["done"])
    heard, notes = await _heard(execution, state, done), []
    made = _read(execution, state, heard, done)
    insights = [
        {"content": one, "stream": each["framework"], "label": each["label"], "importance": 1.0,
         "confidence": each["confidence"]}
        for each in done
        for one in each["insights"]
    ]  # fmt: skip
    texts = [each["content"] for each in insights]
    likeness = await likeness_of(
        execution.loom.embedder, [*texts, made["conclusion"], *brief["goals"]]
    )
    best = [each["content"] for each in merged(insights, likeness)]
    if len(best) > MOST:
        notes.append(LEFT_OUT.format(count=len(best) - MOST))
    spoken = [*best, made["conclusion"]]
    goals = [
        {"goal": each, "covered": round(covered(each, spoken, likeness), 4)}
        for each in brief["goals"]
    ]
    outcome = {**made, "insights": best[:MOST], "goals": goals}
    return {
        "outcome": outcome,
        "notes": [*heard.notes, *notes, *_remarks(execution, heard, done), *likeness.notes],
    }


async def _heard(execution: Execution, state: AnalysisState, done: Sequence[Done]) -> Heard:
    if execution.loom.llm.offline:
        return Heard()
    plan = state["plan"]
    lacking = [each["step"] for each in missing(plan, state["done"])]
    question = Question(
        node="conclude",
        prompt=PROMPT,
        variables=variables(state["brief"], plan["frameworks"], done, lacking),
        pipe=ANALYZE,
        aside=Aside(last=True),
    )
    return await ask_or_say(execution, question, "the conclusion")


def variables(
    brief: Brief, frameworks: Sequence[str], done: Sequence[Done], lacking: Sequence[str]
) -> dict[str, Any]:
    """Return what the prompt for the conclusion is rendered with."""
    return {
        "problem": brief["problem"],
        "background": brief["background"],
        "constraints": brief["constraints"],
        "goals": brief["goals"],
        "frameworks": [
            {
                "name": FRAMEWORKS[name].name,
                "results": [
                    {key: each[key] for key in ("label", "step", "output", "open")}
                    for each in done
                    if each["framework"] == name
                ],
            }
            for name in frameworks
        ],
        "lacking": list(lacking),
    }


def _read(
    execution: Execution, state: AnalysisState, heard: Heard, done: Sequence[Done]
) -> dict[str, Any]:
    """Return the conclusion; where none came, the first sentences of what came last."""
    labels = [each["label"] for each in done]
    if heard.parsed is not None:
        said = heard.parsed
        named = [each for each in dict.fromkeys(said["rests_on"]) if each in labels]
        return {
            "conclusion": said["conclusion"],
            "rests_on": named,
            "claim": float(said["confidence"]),
            "made": True,
        }
    if heard.text:
        return {"conclusion": heard.text, "rests_on": [], "claim": None, "made": True}
    plan = state["plan"]
    if execution.loom.llm.offline:
        names = " and ".join(FRAMEWORKS[name].name for name in plan["frameworks"])
        text = plain_conclusion(names, done, state["brief"]["problem"])
        return {"conclusion": text, "rests_on": labels, "claim": None, "made": True}
    ends = {each["framework"]: each for each in done}
    told = [as_prose(sentences_in(each["output"])[:SENTENCES]) for each in ends.values()]
    rests = [each["label"] for each in ends.values()]
    return {"conclusion": " ".join(told), "rests_on": rests, "claim": None, "made": False}


def _remarks(execution: Execution, heard: Heard, done: Sequence[Done]) -> list[str]:
    """Return what must be said of the conclusion."""
    if execution.loom.llm.offline:
        return [BY_WORDS]
    if heard.parsed is None:
        return [] if heard.text else [EXTRACTED]
    labels, named = {each["label"] for each in done}, heard.parsed["rests_on"]
    unknown = [each for each in dict.fromkeys(named) if each not in labels]
    notes = [UNKNOWN.format(names=", ".join(unknown[:5]))] if unknown else []
    return [*notes, UNNAMED] if len(unknown) == len({*named}) else notes


def to_check(state: AnalysisState, runtime: Runtime[Execution]) -> list[Send] | str:
    """Hold the conclusion against the constraints, where there are any.

    Without a language model nothing is recommended: quoting the problem breaks no constraint.
    """
    brief, text = state["brief"], state["outcome"]["conclusion"]
    if not brief["constraints"] or runtime.context.loom.llm.offline:
        return "keep_analysis"
    return [Send("check_conclusion", Checked(brief=brief, name=WHOLE, text=text))]
