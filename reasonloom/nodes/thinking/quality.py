"""Rates a conclusion: quality, confidence, and checks against the constraints."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from statistics import fmean
from typing import Any, TypedDict

from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom.nodes.execution import Execution
from reasonloom.nodes.reasoning.divergent.constraint_check import check_constraints
from reasonloom.nodes.runs.llm_call import Question
from reasonloom.nodes.similarity import Similarity
from reasonloom.nodes.thinking.state import (
    CHECKS_SHARE,
    Brief,
    ThinkingState,
    last_outputs,
    seconds_until,
)
from reasonloom.text.words import words_in

COVERAGE, AGREEMENT, DIVERSITY = 0.5, 0.3, 0.2
"""Weights of the components of quality."""

STEM_LENGTH = 5
"""Length of the prefix by which two words count as forms of one."""


def topics_of(brief: Brief) -> list[str]:
    """Return the topics to be covered: the problem, each goal and each constraint."""
    return [brief["problem"], *brief["goals"], *brief["constraints"]]


def topic_coverage(topic: str, texts: Sequence[str], likeness: Similarity) -> float:
    """Return how well the texts cover a topic, 0..1.

    It is the maximum of the share of the topic's keywords in them and its similarity to each.
    """
    words, spoken = _stems(topic), frozenset[str]().union(*map(_stems, texts))
    shared = len(words & spoken) / len(words) if words else 0.0
    return max(shared, *(likeness.of(topic, each) for each in texts), 0.0)


@lru_cache(maxsize=1_024)
def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:STEM_LENGTH] for word in words_in(text))


def agreement(conclusions: Sequence[str], likeness: Similarity) -> float:
    """Return the mean similarity of all pairs of conclusions; 0 for a single one."""
    pairs = combinations(conclusions, 2)
    return fmean(alike) if (alike := [likeness.of(*pair) for pair in pairs]) else 0.0


def diversity(insights: Sequence[str], likeness: Similarity) -> float:
    """Return the mean distance of all pairs of insights; 0 for a single one."""
    distances = [1 - likeness.of(*pair) for pair in combinations(insights, 2)]
    return fmean(distances) if distances else 0.0


def covered_goals(brief: Brief, texts: Sequence[str], likeness: Similarity) -> list[dict[str, Any]]:
    """Return each goal with how well the texts cover it."""
    return [
        {"goal": each, "covered": round(topic_coverage(each, texts, likeness), 4)}
        for each in brief["goals"]
    ]


def quality_parts(
    brief: Brief, insights: Sequence[str], conclusions: Sequence[str], likeness: Similarity
) -> dict[str, float]:
    """Return the components of quality, each 0..1."""
    texts = [*insights, *conclusions]
    return {
        "coverage": round(
            fmean(topic_coverage(each, texts, likeness) for each in topics_of(brief)), 4
        ),
        "agreement": round(agreement(conclusions, likeness), 4),
        "diversity": round(diversity(insights, likeness), 4),
    }


def overall_quality(parts: dict[str, float]) -> float:
    """Return the weighted sum of the components, 0..1."""
    whole = (
        COVERAGE * parts["coverage"]
        + AGREEMENT * parts["agreement"]
        + DIVERSITY * parts["diversity"]
    )
    return round(whole, 4)


BREACH_FACTOR = 0.5
"""Factor on the confidence if every constraint is violated."""


def confidence_of(claims: Sequence[float], verdicts: Sequence[Mapping[str, Any]]) -> float:
    """Return the mean claimed confidence, reduced by violated constraints, 0..1."""
    mean = fmean(claims)
    if verdicts:
        share = sum(each["kept"] is False for each in verdicts) / len(verdicts)
        mean *= 1 - share * (1 - BREACH_FACTOR)
    return round(mean, 4)


JOINT = "conclusion"
"""The name of the joint conclusion, or of the conclusion of a single stream."""


class CheckTask(TypedDict):
    """The input of one check: a conclusion's text, and the name of its stream or `JOINT`."""

    brief: Brief
    name: str
    text: str


def dispatch_checks(state: ThinkingState) -> list[Send] | str:
    """Return a task for the joint conclusion and for each stream's; none without constraints."""
    brief, synthesis = state["brief"], state["synthesis"]
    if not brief["constraints"]:
        return "keep_thinking"
    advice = [each["description"] for each in synthesis["advice"]] if synthesis["made"] else []
    texts = {JOINT: "\n".join([synthesis["conclusion"], *advice])}
    if len(brief["streams"]) > 1:
        ends = last_outputs(brief, state["said"])
        texts |= {name: end["conclusion"] for name, end in ends.items()}
    return [
        Send("check_conclusion", CheckTask(brief=brief, name=name, text=text))
        for name, text in texts.items()
    ]


async def check_conclusion(state: CheckTask, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Check one conclusion against all constraints, without revealing its stream to the judge."""
    execution, brief = runtime.context, state["brief"]
    question = Question(
        node="check_conclusion",
        prompt="divergent/check",
        blind=True,
        variables={
            "content": brief["problem"],
            "viewpoint": state["text"],
            "constraints": brief["constraints"],
        },
        pipe=brief["tool"],
        task=state["name"],
        seconds=seconds_until(execution, brief, CHECKS_SHARE),
    )
    verdicts, notes = await check_constraints(execution, question)
    return {"checks": [{"name": state["name"], "constraints": verdicts}], "notes": notes}
