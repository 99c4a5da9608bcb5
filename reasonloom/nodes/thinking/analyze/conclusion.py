"""Draws a conclusion from the steps, and checks it against goals and constraints."""

from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom.nodes.execution import Execution
from reasonloom.nodes.offline import open_thought, quotes_on
from reasonloom.nodes.runs.budget import ReservePolicy
from reasonloom.nodes.runs.llm_call import OptionalReply, Question, ask_or_note
from reasonloom.nodes.similarity import similarity_of
from reasonloom.nodes.thinking.analyze.frameworks.catalog import FRAMEWORKS
from reasonloom.nodes.thinking.analyze.selection import ANALYZE
from reasonloom.nodes.thinking.analyze.state import (
    AnalysisState,
    StepResult,
    missing_steps,
    successful_results,
)
from reasonloom.nodes.thinking.insights import LEFT_OUT, MOST_INSIGHTS, merge_insights
from reasonloom.nodes.thinking.quality import JOINT, CheckTask, covered_goals
from reasonloom.nodes.thinking.state import Brief, prompt_context
from reasonloom.text.sentences import join_sentences, sentences_in

PROMPT = "analysis/conclude"
FALLBACK_SENTENCES = 2
"""Sentences quoted from each framework's last step if there is no conclusion."""

EXTRACTED = "there is no conclusion: the last step's first sentences are used instead"
UNKNOWN = "the conclusion named results that do not exist: {names}"
UNNAMED = "the conclusion named none of the results that it rests on"
CONCLUDED = "What follows?"


async def conclude(state: AnalysisState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Draw one conclusion from the results of all frameworks."""
    execution, plan, brief = runtime.context, state["plan"], state["brief"]
    if execution.loom.llm.offline:
        return {"outcome": _open_outcome(state)}
    done = successful_results(plan, state["done"])
    heard, notes = await _ask_conclusion(execution, state, done), []
    made = _parse_conclusion(heard, done)
    insights = [
        {"content": one, "stream": each["framework"], "label": each["label"], "importance": 1.0,
         "confidence": each["confidence"]}
        for each in done
        for one in each["insights"]
    ]  # fmt: skip
    texts = [each["content"] for each in insights]
    likeness = await similarity_of(
        execution.loom.embedder, [*texts, made["conclusion"], *brief["goals"]]
    )
    best = [each["content"] for each in merge_insights(insights, likeness, {})]
    if len(best) > MOST_INSIGHTS:
        notes.append(LEFT_OUT.format(count=len(best) - MOST_INSIGHTS))
    goals = covered_goals(brief, [*best, made["conclusion"]], likeness)
    outcome = {**made, "insights": best[:MOST_INSIGHTS], "goals": goals}
    return {
        "outcome": outcome,
        "notes": [*heard.notes, *notes, *_remarks(heard, done), *likeness.notes],
    }


async def _ask_conclusion(
    execution: Execution, state: AnalysisState, done: Sequence[StepResult]
) -> OptionalReply:
    plan = state["plan"]
    lacking = [each["step"] for each in missing_steps(plan, state["done"])]
    question = Question(
        node="conclude",
        prompt=PROMPT,
        variables=conclusion_variables(state["brief"], plan["frameworks"], done, lacking),
        pipe=ANALYZE,
        aside=ReservePolicy(last=True),
    )
    return await ask_or_note(execution, question, "the conclusion")


def conclusion_variables(
    brief: Brief, frameworks: Sequence[str], done: Sequence[StepResult], lacking: Sequence[str]
) -> dict[str, Any]:
    """Return the prompt variables of the conclusion."""
    return {
        **prompt_context(brief),
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


def _open_outcome(state: AnalysisState) -> dict[str, Any]:
    problem = state["brief"]["problem"]
    quotes = quotes_on(problem, state["memories"], state["brief"]["background"], most=1)
    thought = open_thought(CONCLUDED, problem, quotes)
    return {
        "conclusion": thought["content"],
        "rests_on": [],
        "claim": thought["confidence"],
        "made": True,
        "insights": [],
        "goals": [],
    }


def _parse_conclusion(heard: OptionalReply, done: Sequence[StepResult]) -> dict[str, Any]:
    """Return the parsed conclusion; if there is none, the first sentences of the last steps."""
    labels = [each["label"] for each in done]
    if heard.parsed is not None:
        parsed = heard.parsed
        named = [each for each in dict.fromkeys(parsed["rests_on"]) if each in labels]
        return {
            "conclusion": parsed["conclusion"],
            "rests_on": named,
            "claim": float(parsed["confidence"]),
            "made": True,
        }
    if heard.text:
        return {"conclusion": heard.text, "rests_on": [], "claim": None, "made": True}
    ends = {each["framework"]: each for each in done}
    texts = [
        join_sentences(sentences_in(each["output"])[:FALLBACK_SENTENCES]) for each in ends.values()
    ]
    rests = [each["label"] for each in ends.values()]
    return {"conclusion": " ".join(texts), "rests_on": rests, "claim": None, "made": False}


def _remarks(heard: OptionalReply, done: Sequence[StepResult]) -> list[str]:
    if heard.parsed is None:
        return [] if heard.text else [EXTRACTED]
    labels, named = {each["label"] for each in done}, heard.parsed["rests_on"]
    unknown = [each for each in dict.fromkeys(named) if each not in labels]
    notes = [UNKNOWN.format(names=", ".join(unknown[:5]))] if unknown else []
    return [*notes, UNNAMED] if len(unknown) == len({*named}) else notes


def dispatch_checks(state: AnalysisState, runtime: Runtime[Execution]) -> list[Send] | str:
    """Check the conclusion against the constraints, if there are any.

    Offline, there is no recommendation that could violate one.
    """
    brief, text = state["brief"], state["outcome"]["conclusion"]
    if not brief["constraints"] or runtime.context.loom.llm.offline:
        return "keep_analysis"
    return [Send("check_conclusion", CheckTask(brief=brief, name=JOINT, text=text))]
