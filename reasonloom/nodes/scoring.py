"""How a memory is judged: relevance, recency, the reference's composite, and salience."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING

from reasonloom.contracts.memory import Sector

if TYPE_CHECKING:
    from reasonloom.stores.search import FoundMemory, Match

SECONDS_PER_DAY = 86_400.0

DECAY_PER_DAY: dict[Sector, float] = {
    "episodic": 0.03,
    "emotional": 0.025,
    "reflective": 0.02,
    "procedural": 0.015,
    "semantic": 0.01,
}
"""Rate of forgetting of each sector, per day (the constants of ThoughtMCP's reference)."""

EMPHASIS = re.compile(
    r"\b(?:important|urgent|critical|essential|always|never|must|remember|key|deadline|allerg\w+)\b",
    re.IGNORECASE,
)
WORD = re.compile(r"[^\W\d_]{4,}")
STOP_WORDS = frozenset(
    """about above after again also because been before being below between both could does
    doing down during each from further have having here hers herself himself into itself just
    more most myself once only other ours over same should some such than that their theirs them
    themselves then there these they this those through under until very were what when where
    which while whom will with would your yours yourself""".split()  # noqa: SIM905 - reads better
)


def relevance(match: Match, *, tagged: bool) -> float:
    """Return how relevant a match is, 0..1, on a scale that other matches do not move.

    0.5 cosine + 0.25 words + 0.25 words in context + 0.15 where the question names one of the
    memory's tags, at most 1. The weights are round numbers, compared with some two dozen
    other round choices on LoCoMo's development half alone; no second data set has tried them.
    """
    likeness = max(0.0, match.cosine or 0.0)
    words = 0.25 * match.coverage + 0.25 * match.context
    return min(1.0, 0.5 * likeness + words + (0.15 if tagged else 0.0))


def recency(last_accessed: datetime, now: datetime, half_life_days: float) -> float:
    """Return 1 for now, 0.5 one half-life ago, towards 0."""
    days = max(0.0, (now - last_accessed).total_seconds() / SECONDS_PER_DAY)
    return float(0.5 ** (days / half_life_days))


def composite(memory: FoundMemory, similarity: float | None, recent: float) -> float:
    """Return the reference's score, 0..1.

    With a text 0.6 similarity + 0.2 salience + 0.1 recency + 0.1 link weight; without one
    0.4 salience + 0.3 recency + 0.3 link weight.
    """
    if similarity is None:
        return 0.4 * memory.salience + 0.3 * recent + 0.3 * memory.link
    return 0.6 * similarity + 0.2 * memory.salience + 0.1 * recent + 0.1 * memory.link


def salience(content: str, importance: float) -> float:
    """Return how much a new memory stands out, 0..1.

    The mean of its importance and of 0.5 + 0.1 for each distinct word of emphasis.
    """
    emphasis = {match.lower() for match in EMPHASIS.findall(content)}
    return (importance + min(1.0, 0.5 + 0.1 * len(emphasis))) / 2


def keywords(content: str, most: int = 10) -> list[str]:
    """Return the most frequent words of four letters or more that say something."""
    words = (word.lower() for word in WORD.findall(content))
    counted = Counter(word for word in words if word not in STOP_WORDS)
    return [word for word, _ in counted.most_common(most)]


def estimated_tokens(content: str) -> int:
    """Return about how many tokens a text has: one for four bytes of UTF-8."""
    return len(content.encode()) // 4 + 1
