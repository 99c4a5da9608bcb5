"""Computes how good thinking in several streams is: coverage, agreement and diversity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from statistics import fmean
from typing import Any, TypedDict

from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom.nodes.loom import Execution
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
"""What each part counts."""

STEM_LENGTH = 5
"""Letters that two words begin with alike to count as forms of one."""


def topics_of(brief: Brief) -> list[str]:
    """Return what is to be covered: the problem, each goal, each constraint."""
    return [brief["problem"], *brief["goals"], *brief["constraints"]]


def topic_coverage(asked: str, said: Sequence[str], likeness: Similarity) -> float:
    """Return how much of a text is spoken of, 0..1.

    The greater of the share of its telling words that are said, and its likeness to any one text.
    """
    words, spoken = _stems(asked), frozenset[str]().union(*map(_stems, said))
    shared = len(words & spoken) / len(words) if words else 0.0
    return max(shared, *(likeness.of(asked, each) for each in said), 0.0)


@lru_cache(maxsize=1_024)
def _stems(text: str) -> frozenset[str]:
    """Return the beginnings of a text's telling words: the same texts are asked for many times."""
    return frozenset(word[:STEM_LENGTH] for word in words_in(text))


def agreement(conclusions: Sequence[str], likeness: Similarity) -> float:
    """Return the mean likeness of all pairs of conclusions; one alone agrees with nobody."""
    pairs = combinations(conclusions, 2)
    return fmean(alike) if (alike := [likeness.of(*pair) for pair in pairs]) else 0.0


def diversity(insights: Sequence[str], likeness: Similarity) -> float:
    """Return the mean distance of all pairs of insights; one alone has none."""
    apart = [1 - likeness.of(*pair) for pair in combinations(insights, 2)]
    return fmean(apart) if apart else 0.0


def quality_parts(
    brief: Brief, insights: Sequence[str], conclusions: Sequence[str], likeness: Similarity
) -> dict[str, float]:
    """Return the parts of quality, each 0..1."""
    said = [*insights, *conclusions]
    return {
        "coverage": round(
            fmean(topic_coverage(each, said, likeness) for each in topics_of(brief)), 4
        ),
        "agreement": round(agreement(conclusions, likeness), 4),
        "diversity": round(diversity(insights, likeness), 4),
    }


def overall_quality(of: dict[str, float]) -> float:
    """Return the weighted sum of the parts, 0..1."""
    whole = COVERAGE * of["coverage"] + AGREEMENT * of["agreement"] + DIVERSITY * of["diversity"]
    return round(whole, 4)


BREACH_FACTOR = 0.5
"""What is left of the confidence where every constraint is broken."""


def confidence_of(
    claims: Sequence[float],
    agreement: float | None,
    verdicts: Sequence[Mapping[str, Any]],
) -> float:
    """Return 0..1: the mean claim, halved where nobody agrees, lowered by broken constraints.

    `agreement` is None for a stream that thinks alone.
    """
    mean = fmean(claims)
    if agreement is not None:
        mean *= (1 + agreement) / 2
    if verdicts:
        share = sum(each["kept"] is False for each in verdicts) / len(verdicts)
        mean *= 1 - share * (1 - BREACH_FACTOR)
    return round(mean, 4)


JOINT = "conclusion"
"""The name of what all streams came to together, or of a stream that is alone."""


class CheckTask(TypedDict):
    """What one check is given: whose conclusion it is, and the text."""

    brief: Brief
    name: str
    text: str


def dispatch_checks(state: ThinkingState) -> list[Send] | str:
    """Return one task for each conclusion, of all together and of each stream."""
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
    """Hold one conclusion against all constraints; the judge is not told whose it is."""
    execution, brief = runtime.context, state["brief"]
    question = Question(
        node="check_conclusion",
        prompt="divergent/check",
        variables={
            "content": brief["problem"],
            "viewpoint": state["text"],
            "constraints": brief["constraints"],
        },
        pipe=brief["tool"],
        task=state["name"],
        seconds=seconds_until(execution, brief, CHECKS_SHARE),
    )
    verdicts, notes = await check_constraints(
        execution, state["text"], question, brief["constraints"]
    )
    return {"checks": [{"name": state["name"], "constraints": verdicts}], "notes": notes}
