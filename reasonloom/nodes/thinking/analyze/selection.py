"""The first nodes of `analyze`: recall, and framework selection by features and an LLM vote.

Features are English or German cues for the kind of task: the form of the question, tense, the
connection of clauses. They never depend on the subject, since any subject may need any framework.
"""

from collections.abc import Mapping
from statistics import fmean
from types import MappingProxyType
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.thinking.analyze import Analyze
from reasonloom.errors import EmbedderUnavailable
from reasonloom.llm.classifier import classify
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.metacognition.spans import join_sentences, sentences_of, windows_of
from reasonloom.nodes.reasoning.context import recall_for
from reasonloom.nodes.reasoning.routing.choice import best_mode
from reasonloom.nodes.reasoning.routing.weights import certainty, combine_vote, shares_of
from reasonloom.nodes.runs.llm_call import Question, ask_or_note
from reasonloom.nodes.thinking.analyze.features import FEATURES
from reasonloom.nodes.thinking.analyze.frameworks.catalog import FRAMEWORKS
from reasonloom.nodes.thinking.analyze.state import AnalysisState, Plan, Wave
from reasonloom.nodes.thinking.begin import make_brief
from reasonloom.text.language import language_of
from reasonloom.text.shortening import shortened

READ_LENGTH = 4_000
"""Characters searched for cues at the beginning of the problem, and again at its end."""

CLASSIFIER_POWER, CUES_POWER = 0.6, 0.42
"""Exponents in the pool; below 1 because both sources are overconfident."""

MOST_CLASSIFIED_WINDOWS = 20

MOST_QUOTED = 3
LONGEST_QUOTE = 40

PRIOR_EVIDENCE = MappingProxyType({"critical-thinking": 0.1})
"""Prior evidence of frameworks: a problem without cues can at least be examined critically."""


async def computed_shares(problem: str) -> dict[str, float]:
    """Return how well each framework fits, by id; the shares sum to 1.

    For English problems, the classifier's shares and the cues' are combined in a logarithmic pool
    (Genest and Zidek 1986): the normalised product of their shares, each raised to its power.
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
    """Return the classifier's mean shares over the windows of a problem.

    Empty if the language is not supported or the classifier cannot be loaded.
    """
    if not language_of(problem).supported:
        return {}
    windows = [join_sentences(window) for window in windows_of(sentences_of(problem))]
    try:
        read = [scores.framework for scores in await classify(windows[:MOST_CLASSIFIED_WINDOWS])]
    except EmbedderUnavailable:
        return {}
    return {name: fmean(shares[name] for shares in read) for name in FRAMEWORKS}


def cue_shares(problem: str) -> dict[str, float]:
    """Return the shares by cues only."""
    evidence = {name: PRIOR_EVIDENCE.get(name, 0.0) for name in FRAMEWORKS}
    text = _text_for_cues(problem)
    for each in FEATURES:
        cues = {found[0].casefold() for found in each.cues.finditer(text)}
        evidence[each.framework] += each.weight * certainty(len(cues))
    return shares_of(evidence)


def signs_of(problem: str) -> Mapping[str, list[str]]:
    """Return the features found for each framework with the matched words, by weight descending."""
    found: dict[str, list[tuple[float, str]]] = {name: [] for name in FRAMEWORKS}
    text = _text_for_cues(problem)
    for each in FEATURES:
        words = list(dict.fromkeys(one[0].strip() for one in each.cues.finditer(text)))
        if words:
            quoted = ", ".join(
                f"“{shortened(word, LONGEST_QUOTE)}”" for word in words[:MOST_QUOTED]
            )
            weight = each.weight * certainty(len(words))
            found[each.framework].append((weight, f"{each.reason} ({quoted})"))
    return {
        name: [reason for _, reason in sorted(signs, reverse=True)] for name, signs in found.items()
    }


def _text_for_cues(problem: str) -> str:
    if len(problem) <= 2 * READ_LENGTH:
        return problem
    return f"{problem[:READ_LENGTH]}\n{problem[-READ_LENGTH:]}"


ANALYZE = "analyze"
CLOSE = 0.1
"""Maximum difference of the two best shares for using both frameworks."""

LEAST_SHARE = 0.25
"""Minimum share of the second framework for using both."""

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
    """Read the request and recall memories."""
    request = runtime.context.request(Analyze)
    brief = make_brief(ANALYZE, request.problem, request.context, [], quarters=1)
    memories, notes = await recall_for(runtime.context, request.problem)
    return {"brief": brief, "memories": memories, "notes": notes}


async def select_framework(state: AnalysisState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Select the best framework, or two if close; the caller's preference takes precedence."""
    request = runtime.context.request(Analyze)
    shares = await computed_shares(request.problem)
    votes = [_computed_vote(request.problem, shares)]
    if (wanted := request.preferred_framework) is not None:
        plan = Plan(frameworks=[wanted], by="caller", shares=shares, votes=votes)
        return {"plan": plan, "wave": Wave(at=0, over=False)}
    vote, notes = await _llm_vote(runtime.context, state)
    if vote:
        shares = combine_vote(shares, vote["framework"], vote["confidence"])
        votes.append({"by": "llm", **vote})
    frameworks = select_frameworks(shares)
    plan = Plan(
        frameworks=frameworks[: 1 if runtime.context.loom.llm.offline else None],
        by="features_and_llm" if vote else "features",
        shares=shares,
        votes=votes,
    )
    return {"plan": plan, "wave": Wave(at=0, over=False), "notes": notes}


def select_frameworks(shares: Mapping[str, float]) -> list[str]:
    """Return the best framework, with the second one if it is close."""
    first, second = rank_frameworks(shares)[:2]
    close = shares[second] >= LEAST_SHARE and shares[first] - shares[second] <= CLOSE
    return [first, second] if close else [first]


def rank_frameworks(shares: Mapping[str, float]) -> list[str]:
    """Return the frameworks by share, descending."""
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
    """Return the two strongest features for a framework, else a note on its overall share."""
    read = ONLY_OVERALL.format(share=share) if share >= LEAST_SHARE else NO_SIGN
    return "; ".join(signs_of(problem)[framework][:2]) or read


async def _llm_vote(
    execution: Execution, state: AnalysisState
) -> tuple[dict[str, Any] | None, list[str]]:
    """Ask the language model to vote for a framework; it does not see the computed shares."""
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


def reason_of(problem: str, plan: Plan) -> str:
    """Explain in sentences why the framework was selected."""
    first, *more = plan["frameworks"]
    name, votes = FRAMEWORKS[first].name, {each["by"]: each for each in plan["votes"]}
    if plan["by"] == "caller":
        best = votes["features"]["framework"]
        other = f"{FRAMEWORKS[best].name} ({votes['features']['reason']})"
        return PREFERRED.format(name=name, best="the same" if best == first else other) + "."
    vote = votes.get("llm")
    if vote and vote["framework"] == first:
        reason = f"{name}: {vote['reason']}"
    else:
        reason = f"{name}: {signs_for(problem, first, plan['shares'][first])}."
    if vote and vote["framework"] != first:
        other = FRAMEWORKS[vote["framework"]].name
        reason += (
            f" The language model votes for {other} ({vote['confidence']:.2f}): {vote['reason']}"
        )
    if more:
        second = HYBRID.format(second=FRAMEWORKS[more[0]].name, share=plan["shares"][more[0]])
        reason = f"{reason.rstrip('.')}. {second}."
    return reason


def alternatives_of(problem: str, plan: Plan) -> list[dict[str, Any]]:
    """Return the next best frameworks with the reasons for them, at least one.

    If the caller chose another framework, the computed best one comes first.
    """
    shares = plan["shares"]
    rest = [name for name in rank_frameworks(shares) if name not in plan["frameworks"]]
    listed = [name for name in rest if shares[name] >= LEAST_ALTERNATIVE] or rest[:1]
    best = best_mode(shares)
    return [
        {
            "framework": {"id": name, "name": FRAMEWORKS[name].name},
            "reason": (BEST if plan["by"] == "caller" and name == best else "")
            + signs_for(problem, name, shares[name]),
            "confidence": round(shares[name], 4),
        }
        for name in listed[:MOST_ALTERNATIVES]
    ]
