"""Begins to analyse: recalls, and chooses the framework by features and the llm's blind vote."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from types import MappingProxyType
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.thinking.analyze import Analyze
from reasonloom.llm.classifier import classify
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.metacognition.spans import join_sentences, sentences_of, windows_of
from reasonloom.nodes.reasoning.attempts import recall_for
from reasonloom.nodes.reasoning.routing.choice import best_mode
from reasonloom.nodes.reasoning.routing.weights import certainty, combine_vote, shares_of
from reasonloom.nodes.runs.llm_call import Question, ask_or_note
from reasonloom.nodes.thinking.analyze.features.creation import CREATION_FEATURES as MAKING
from reasonloom.nodes.thinking.analyze.features.investigation import (
    INVESTIGATION_FEATURES as FINDING_OUT,
)
from reasonloom.nodes.thinking.analyze.frameworks.catalog import FRAMEWORKS
from reasonloom.nodes.thinking.analyze.frameworks.framework import Feature
from reasonloom.nodes.thinking.analyze.state import AnalysisState, Plan, Wave
from reasonloom.nodes.thinking.begin import make_brief
from reasonloom.text.language import language_of
from reasonloom.text.shortening import shortened

# English and German. A sign is what is asked for, the form of the question, tense, and how the
# clauses hang together; not a subject matter, since any subject may need any framework.

FEATURES: tuple[Feature, ...] = (*FINDING_OUT, *MAKING)

READ_LENGTH = 4_000
"""Characters that are read for cues from a problem's beginning, and as many from its end."""

CLASSIFIER_POWER, CUES_POWER = 0.6, 0.42
"""The powers of both; below 1, as each is surer of itself than it is right."""

MOST_WINDOWS = 20
"""Windows of a problem that the classifier reads, the first ones."""

MOST_QUOTED = 3
LONGEST_QUOTE = 40
"""Characters of a sign that is quoted."""

PRIOR_EVIDENCE = MappingProxyType({"critical-thinking": 0.1})
"""Evidence from the start: what nothing is a sign for is at least to be judged."""


async def computed_shares(problem: str) -> dict[str, float]:
    """Return for each framework by its id its share of one: how well it fits.

    English problems are read by the classifier too. Both are put together as a logarithmic pool
    (Genest and Zidek 1986): the product of their shares, each to its power, again of one.
    """
    cues = cue_shares(problem)
    read = await _classifier_shares(problem)
    pooled = (
        {name: read[name] ** CLASSIFIER_POWER * cues[name] ** CUES_POWER for name in cues}
        if read
        else cues
    )
    whole = sum(pooled.values())
    return {name: share / whole for name, share in pooled.items()}


async def _classifier_shares(problem: str) -> dict[str, float]:
    """Return the classifier's shares, the mean over its windows; none in another language."""
    if not language_of(problem).supported:
        return {}
    windows = [join_sentences(window) for window in windows_of(sentences_of(problem))]
    read = [scores.framework for scores in await classify(windows[:MOST_WINDOWS])]
    return {name: fmean(shares[name] for shares in read) for name in FRAMEWORKS}


def cue_shares(problem: str) -> dict[str, float]:
    """Return the shares by cues alone: patterns of words in English and German."""
    evidence = {name: PRIOR_EVIDENCE.get(name, 0.0) for name in FRAMEWORKS}
    text = _text_for_cues(problem)
    for each in FEATURES:
        cues = {found[0].casefold() for found in each.cues.finditer(text)}
        evidence[each.framework] += each.weight * certainty(len(cues))
    return shares_of(evidence)


def signs_of(problem: str) -> Mapping[str, list[str]]:
    """Return for each framework what speaks for it, the weightiest first, with the words."""
    found: dict[str, list[tuple[float, str]]] = {name: [] for name in FRAMEWORKS}
    text = _text_for_cues(problem)
    for each in FEATURES:
        words = list(dict.fromkeys(one[0].strip() for one in each.cues.finditer(text)))
        if words:
            quoted = ", ".join(
                f"“{shortened(word, LONGEST_QUOTE)}”" for word in words[:MOST_QUOTED]
            )
            weight = each.weight * certainty(len(words))
            found[each.framework].append((weight, f"{each.said} ({quoted})"))
    return {
        name: [said for _, said in sorted(signs, reverse=True)] for name, signs in found.items()
    }


def _text_for_cues(problem: str) -> str:
    if len(problem) <= 2 * READ_LENGTH:
        return problem
    return f"{problem[:READ_LENGTH]}\n{problem[-READ_LENGTH:]}"


ANALYZE = "analyze"
CLOSE = 0.1
"""How near the second framework's share is to the first's at most for both to be taken."""

LEAST_SHARE = 0.25
"""The share that the second must have for that: near to nothing is not close."""

MOST_ALTERNATIVES = 3
LEAST_ALTERNATIVE = 0.05
NO_SIGN = "no sign of it in the problem's words (English and German ones are known)"
ONLY_OVERALL = "no single word says so, but read as a whole it looks like it ({share:.2f})"
PREFERRED = (
    "{name} was asked for by preferredFramework; by its features the problem calls for {best}"
)
HYBRID = "{second} is as close ({share:.2f}), so that both are worked through"
BEST = "it fits best by the problem's features: "


async def begin_analysis(state: AnalysisState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Read what is asked, and find the memories that it calls for."""
    request = Analyze.model_validate(state["request"])
    brief = make_brief(ANALYZE, request.problem, request.context, [], quarters=1)
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
    vote, notes = await _llm_vote(runtime.context, state)
    if vote:
        shares = combine_vote(shares, vote["framework"], vote["confidence"])
        votes.append({"by": "llm", **vote})
    plan = Plan(
        frameworks=select_frameworks(shares),
        by="features_and_llm" if vote else "features",
        shares=shares,
        votes=votes,
    )
    return {"plan": plan, "wave": Wave(at=0, over=False), "notes": notes}


def select_frameworks(shares: Mapping[str, float]) -> list[str]:
    """Return the framework with the greatest share, with the second where that is close."""
    first, second = rank_frameworks(shares)[:2]
    close = shares[second] >= LEAST_SHARE and shares[first] - shares[second] <= CLOSE
    return [first, second] if close else [first]


def rank_frameworks(shares: Mapping[str, float]) -> list[str]:
    """Return the frameworks by their shares, the greatest first."""
    return sorted(shares, key=lambda name: -shares[name])


def _computed_vote(problem: str, shares: Mapping[str, float]) -> dict[str, Any]:
    best = best_mode(shares)
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
    read = ONLY_OVERALL.format(share=share) if share >= LEAST_SHARE else NO_SIGN
    return "; ".join(signs_of(problem)[framework][:2]) or read


async def _llm_vote(
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
    heard = await ask_or_note(execution, question, "the vote on the framework")
    return heard.parsed, heard.notes


def reason_of(brief_problem: str, plan: Plan) -> str:
    """Return why the framework was taken, in plain sentences."""
    first, *more = plan["frameworks"]
    name, votes = FRAMEWORKS[first].name, {each["by"]: each for each in plan["votes"]}
    if plan["by"] == "caller":
        best = votes["features"]["framework"]
        told = f"{FRAMEWORKS[best].name} ({votes['features']['reason']})"
        best_told = "the same" if best == first else told
        return PREFERRED.format(name=name, share=plan["shares"][first], best=best_told) + "."
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
    rest = [name for name in rank_frameworks(shares) if name not in plan["frameworks"]]
    told = [name for name in rest if shares[name] >= LEAST_ALTERNATIVE] or rest[:1]
    best = best_mode(shares)
    return [
        {
            "framework": {"id": name, "name": FRAMEWORKS[name].name},
            "reason": (BEST if plan["by"] == "caller" and name == best else "")
            + signs_for(problem, name, shares[name]),
            "confidence": round(shares[name], 4),
        }
        for name in told[:MOST_ALTERNATIVES]
    ]
