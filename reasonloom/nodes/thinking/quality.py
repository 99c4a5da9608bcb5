"""Computes how good thinking in several streams is: coverage, agreement and diversity."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from statistics import fmean

from reasonloom.nodes.similarity import Likeness
from reasonloom.nodes.thinking.state import Brief
from reasonloom.text.extraction import words_in

COVERAGE, AGREEMENT, DIVERSITY = 0.5, 0.3, 0.2
"""What each part counts."""

STEM = 5
"""Letters that two words begin with alike to count as forms of one."""


def asked_of(brief: Brief) -> list[str]:
    """Return what is to be covered: the problem, each goal, each constraint."""
    return [brief["problem"], *brief["goals"], *brief["constraints"]]


def covered(asked: str, said: Sequence[str], likeness: Likeness) -> float:
    """Return how much of a text is spoken of, 0..1.

    The greater of the share of its telling words that are said, and its likeness to any one text.
    """
    words, spoken = _stems(asked), frozenset[str]().union(*map(_stems, said))
    shared = len(words & spoken) / len(words) if words else 0.0
    return max(shared, *(likeness.of(asked, each) for each in said), 0.0)


@lru_cache(maxsize=1_024)
def _stems(text: str) -> frozenset[str]:
    """Return the beginnings of a text's telling words: the same texts are asked for many times."""
    return frozenset(word[:STEM] for word in words_in(text))


def agreement(conclusions: Sequence[str], likeness: Likeness) -> float:
    """Return the mean likeness of all pairs of conclusions; one alone agrees with nobody."""
    pairs = combinations(conclusions, 2)
    return fmean(alike) if (alike := [likeness.of(*pair) for pair in pairs]) else 0.0


def diversity(insights: Sequence[str], likeness: Likeness) -> float:
    """Return the mean distance of all pairs of insights; one alone has none."""
    apart = [1 - likeness.of(*pair) for pair in combinations(insights, 2)]
    return fmean(apart) if apart else 0.0


def parts(
    brief: Brief, insights: Sequence[str], conclusions: Sequence[str], likeness: Likeness
) -> dict[str, float]:
    """Return the parts of quality, each 0..1."""
    said = [*insights, *conclusions]
    return {
        "coverage": round(fmean(covered(each, said, likeness) for each in asked_of(brief)), 4),
        "agreement": round(agreement(conclusions, likeness), 4),
        "diversity": round(diversity(insights, likeness), 4),
    }


def quality(of: dict[str, float]) -> float:
    """Return the weighted sum of the parts, 0..1."""
    whole = COVERAGE * of["coverage"] + AGREEMENT * of["agreement"] + DIVERSITY * of["diversity"]
    return round(whole, 4)
