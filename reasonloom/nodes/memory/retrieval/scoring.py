"""Scores memories: the composite score, and relevance to a question from several signals.

The weights are round numbers, chosen on halves of two public benchmarks together and reported on
the other halves (docs/memory.md has the figures and the ablations).
"""

import math
from dataclasses import dataclass
from datetime import datetime

from reasonloom.nodes.memory.calendar.periods import QuestionTime
from reasonloom.stores.memory.search.retrieval import FoundMemory

SECONDS_PER_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """The parts of a score, each in 0..1; `similarity` is None if there is no query.

    Attributes:
        link: with a query, the best of weight x similarity over linked memories; without one,
            the mean weight of the memory's waypoints.
    """

    salience: float
    recency: float
    link: float
    similarity: float | None = None

    @property
    def score(self) -> float:
        """The composite, 0..1."""
        if self.similarity is None:
            return 0.4 * self.salience + 0.3 * self.recency + 0.3 * self.link
        return 0.6 * self.similarity + 0.2 * self.salience + 0.1 * self.recency + 0.1 * self.link


def recency(valid_from: datetime, now: datetime, half_life_days: float) -> float:
    """Return 1 for what was said now or later, 0.5 for one half-life ago, towards 0."""
    days = max(0.0, (now - valid_from).total_seconds() / SECONDS_PER_DAY)
    return float(0.5 ** (days / half_life_days))


PERIOD_HALF_LIFE_DAYS = 90.0
"""Days outside the period of a question after which recency is halved."""


def recency_at(
    valid_from: datetime, now: datetime, half_life_days: float, time: QuestionTime
) -> float:
    """Return how near a memory was said to the time that a question is about, 0..1."""
    if time.start or time.end:
        return float(0.5 ** (time.days_away(valid_from) / PERIOD_HALF_LIFE_DAYS))
    found = recency(valid_from, now, half_life_days)
    return 1 - found if time.looks_back else found


OWN_WEIGHTS = {"cosine": 1.0, "words": 0.2, "context": 0.4, "tag": 0.25, "date": 0.4}
"""Weights of a memory's own signals."""

SESSION_WEIGHT = 0.4
"""Of the best of a memory's session."""

INJECTION_WEIGHT = -2.0
"""Of suspicion: memories that read like an attempt to steer their reader rank last."""

SCALE = 2.0
"""The sum that maps to tanh(1) = 0.76: nearly all signals."""


@dataclass(slots=True)
class RelevanceSignals:
    """Signals that a memory answers a question; all but `session` are in 0..1.

    Attributes:
        cosine: the best over the sectors searched.
        words: the share of the question's words in it.
        context: the share of them in it and the two memories before it.
        tag: 1 if the question names one of its tags.
        date: how well its dates match the question's.
        suspicion: how much it reads like an attempt to steer its reader; see `injection`.
        session: the best weighted sum of own signals in its session; filled in last.
    """

    cosine: float = 0.0
    words: float = 0.0
    context: float = 0.0
    tag: float = 0.0
    date: float = 0.0
    suspicion: float = 0.0
    session: float = 0.0

    def own(self) -> float:
        """Return the weighted sum of the memory's own signals, 0..2.35."""
        return (
            OWN_WEIGHTS["cosine"] * self.cosine
            + OWN_WEIGHTS["words"] * self.words
            + OWN_WEIGHTS["context"] * self.context
            + OWN_WEIGHTS["tag"] * self.tag
            + OWN_WEIGHTS["date"] * self.date
        )

    def relevance(self) -> float:
        """Return tanh(sum / SCALE): 0..1, independent of what else is stored."""
        total = self.own() + SESSION_WEIGHT * self.session + INJECTION_WEIGHT * self.suspicion
        return math.tanh(max(0.0, total) / SCALE)

    def shares(self) -> dict[str, float]:
        """Return what each signal adds to the sum."""
        weights = {**OWN_WEIGHTS, "session": SESSION_WEIGHT, "suspicion": INJECTION_WEIGHT}
        return {name: weight * getattr(self, name) for name, weight in weights.items()}


@dataclass(frozen=True, slots=True)
class ScoredMemory:
    """A memory, the parts of its score, and the signals of its similarity if there is a query."""

    memory: FoundMemory
    parts: ScoreParts
    signals: RelevanceSignals | None = None

    @property
    def score(self) -> float:
        """The reference's composite score, 0..1."""
        return self.parts.score
