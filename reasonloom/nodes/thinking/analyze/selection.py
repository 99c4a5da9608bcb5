"""Begins to analyse: recalls, and chooses the framework by features and the llm's blind vote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.thinking.analyze import Analyze
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.reasoning.attempts import recall_for
from reasonloom.nodes.reasoning.routing.choice import best_of
from reasonloom.nodes.reasoning.routing.weights import combined
from reasonloom.nodes.runs.ask_or_say import ask_or_say
from reasonloom.nodes.runs.llm_call import Question
from reasonloom.nodes.thinking.analyze.analysis_selection import computed_shares, signs_of
from reasonloom.nodes.thinking.analyze.frameworks.catalog import FRAMEWORKS
from reasonloom.nodes.thinking.analyze.state import AnalysisState, Plan, Wave
from reasonloom.nodes.thinking.begin import brief_of

ANALYZE = "analyze"
CLOSE = 0.1
"""How near the second framework's share is to the first's at most for both to be taken."""

LEAST_SHARE = 0.25
"""The share that the second must have for that: near to nothing is not close."""

MOST_ALTERNATIVES = 3
LEAST_ALTERNATIVE = 0.05
NO_SIGN = "no sign of it in the problem's words (English and German ones are known)"
READ_SO = "no single word says so, but read as a whole it looks like it ({share:.2f})"
ASKED_FOR = (
    "{name} was asked for by preferredFramework; by its features the problem calls for {best}"
)
HYBRID = "{second} is as close ({share:.2f}), so that both are worked through"
BEST = "it fits best by the problem's features: "


async def begin_analysis(state: AnalysisState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Read what is asked, and find the memories that it calls for."""
    request = Analyze.model_validate(state["request"])
    brief = brief_of(ANALYZE, request.problem, request.context, [], quarters=1)
    memories, notes = await recall_for(runtime.context, request.problem)
    return {"brief": brief, "memories": memories, "notes": notes}


async def select_framework(state: AnalysisState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Choose the framework, or the two best; one that the caller prefers is taken unasked."""
    request = Analyze.model_validate(state["request"])
    shares = await computed_shares(request.problem)
    votes = [_computed_vote(request.problem, shares)]
    if (wanted := request.preferred_framework) is not None:
        plan = Plan(frameworks=[wanted], by="caller", shares=shares, votes=votes)
        return {"plan": plan, "wave": Wave(at=0, over=False)}
    vote, notes = await _vote(runtime.context, state)
    if vote:
        shares = combined(shares, vote["framework"], vote["confidence"])
        votes.append({"by": "llm", **vote})
    plan = Plan(
        frameworks=taken(shares),
        by="features_and_llm" if vote else "features",
        shares=shares,
        votes=votes,
    )
    return {"plan": plan, "wave": Wave(at=0, over=False), "notes": notes}


def taken(shares: Mapping[str, float]) -> list[str]:
    """Return the framework with the greatest share, with the second where that is close."""
    first, second = ranked(shares)[:2]
    close = shares[second] >= LEAST_SHARE and shares[first] - shares[second] <= CLOSE
    return [first, second] if close else [first]


def ranked(shares: Mapping[str, float]) -> list[str]:
    """Return the frameworks by their shares, the greatest first."""
    return sorted(shares, key=lambda name: -shares[name])


def _computed_vote(problem: str, shares: Mapping[str, float]) -> dict[str, Any]:
    best = best_of(shares)
    return {
        "by": "features",
        "framework": best,
        "confidence": round(shares[best], 4),
        "reason": signs_for(problem, best, shares[best]),
    }


def signs_for(problem: str, framework: str, share: float = 0.0) -> str:
    """Return what in the problem speaks for a framework, the weightiest first.

    A share without signs comes from the classifier.
    """
    read = READ_SO.format(share=share) if share >= LEAST_SHARE else NO_SIGN
    return "; ".join(signs_of(problem)[framework][:2]) or read


async def _vote(
    execution: Execution, state: AnalysisState
) -> tuple[dict[str, Any] | None, list[str]]:
    """Ask the language model which framework it would take; it is not told what was computed."""
    if execution.loom.llm.offline:
        return None, []
    brief = state["brief"]
    question = Question(
        node="select_framework",
        prompt="analysis/select",
        variables={
            "problem": brief["problem"],
            "background": brief["background"],
            "goals": brief["goals"],
            "frameworks": [
                {"id": each.id, "best_for": each.best_for} for each in FRAMEWORKS.values()
            ],
        },
        pipe=ANALYZE,
    )
    heard = await ask_or_say(execution, question, "the vote on the framework")
    return heard.parsed, heard.notes


def reason_of(brief_problem: str, plan: Plan) -> str:
    """Return why the framework was taken, in plain sentences."""
    first, *more = plan["frameworks"]
    name, votes = FRAMEWORKS[first].name, {each["by"]: each for each in plan["votes"]}
    if plan["by"] == "caller":
        best = votes["features"]["framework"]
        told = f"{FRAMEWORKS[best].name} ({votes['features']['reason']})"
        best_told = "the same" if best == first else told
        return ASKED_FOR.format(name=name, share=plan["shares"][first], best=best_told) + "."
    said = f"{name}: {signs_for(brief_problem, first, plan['shares'][first])}."
    if vote := votes.get("llm"):
        other = FRAMEWORKS[vote["framework"]].name
        said += (
            f" The language model votes for {other} ({vote['confidence']:.2f}): {vote['reason']}"
        )
    if more:
        second = HYBRID.format(second=FRAMEWORKS[more[0]].name, share=plan["shares"][more[0]])
        said = f"{said.rstrip('.')}. {second}."
    return said


def alternatives_of(problem: str, plan: Plan) -> list[dict[str, Any]]:
    """Return the next best frameworks with what speaks for them, at least one.

    The one that was computed comes first where the caller's was taken in its place.
    """
    shares = plan["shares"]
    rest = [name for name in ranked(shares) if name not in plan["frameworks"]]
    told = [name for name in rest if shares[name] >= LEAST_ALTERNATIVE] or rest[:1]
    best = best_of(shares)
    return [
        {
            "framework": {"id": name, "name": FRAMEWORKS[name].name},
            "reason": (BEST if plan["by"] == "caller" and name == best else "")
            + signs_for(problem, name, shares[name]),
            "confidence": round(shares[name], 4),
        }
        for name in told[:MOST_ALTERNATIVES]
    ]
