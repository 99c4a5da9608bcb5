"""Finds for each problem to be done what background and memories say of it, by counting words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from reasonloom.nodes.thinking.breakdown.state import is_work
from reasonloom.text.extraction import sentences_in, words_in

if TYPE_CHECKING:
    from reasonloom.nodes.thinking.breakdown.state import Problem

MOST_READ = 10_000
"""Characters of the background that are read."""

MOST_KNOWN = 2
"""Sentences told with one problem."""


def with_known(problems: Sequence[Problem], texts: Sequence[str]) -> list[Problem]:
    """Return the problems, each one to be done with the sentences that share most words with it."""
    sentences = dict.fromkeys(each for text in texts for each in sentences_in(text[:MOST_READ]))
    bags = {each: frozenset(words_in(each)) for each in sentences}
    found: list[Problem] = []
    for problem in problems:
        wanted = frozenset(words_in(problem["description"]))
        scores = {one: len(bag & wanted) / math.sqrt(4 + len(bag)) for one, bag in bags.items()}
        best = sorted((each for each in bags if scores[each]), key=lambda one: -scores[one])
        known = best[:MOST_KNOWN] if is_work(problem) else []
        found.append({**problem, "known": known} if known else problem)
    return found
