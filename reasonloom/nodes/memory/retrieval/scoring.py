"""Scores memories: the composite score, and relevance to a question from several signals.

The weights are round numbers, tuned on one half each of two public benchmarks and evaluated on the
other halves (see docs/memory.md for the results and ablations).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from reasonloom.nodes.memory.calendar.periods import NOW, QuestionTime
from reasonloom.stores.memory.search.retrieval import FoundMemory

SECONDS_PER_DAY = 86_400.0


class ScoreParts(NamedTuple):
    """The parts of a score, each in 0..1; `similarity` is None if there is no query.

    Attributes:
        link: with a query, the maximum of weight x similarity over linked memories; without one,
            the mean weight of the memory's waypoints.
    """

    salience: float
    recency: float
    link: float
    similarity: float | None = None

    @property
    def score(self) -> float:
        """The composite score, 0..1."""
        if self.similarity is None:
            return 0.4 * self.salience + 0.3 * self.recency + 0.3 * self.link
        return 0.6 * self.similarity + 0.2 * self.salience + 0.1 * self.recency + 0.1 * self.link


PERIOD_HALF_LIFE_DAYS = 90.0
"""Half-life of recency, in days outside the period of a question."""


def recency_of(
    now: datetime, half_life_days: float, time: QuestionTime = NOW
) -> Callable[[datetime], float]:
    """Return the function of how close a memory's time is to the time of the question, 0..1.

    For a question about now it is 1 at or after `now`, halved with each half-life before it.
    """

    def by_age(valid_from: datetime) -> float:
        days = (now - valid_from).total_seconds() / SECONDS_PER_DAY
        return float(0.5 ** (days / half_life_days)) if days > 0 else 1.0

    if time.start or time.end:
        return lambda valid_from: float(0.5 ** (time.days_away(valid_from) / PERIOD_HALF_LIFE_DAYS))
    return (lambda valid_from: 1 - by_age(valid_from)) if time.looks_back else by_age


OWN_WEIGHTS = {"cosine": 1.0, "words": 0.2, "context": 0.4, "tag": 0.25, "date": 0.4}
"""Weights of a memory's own signals."""

SESSION_WEIGHT = 0.4
"""Weight of the best memory in the same session."""

INJECTION_WEIGHT = -2.0
"""Weight of suspicion: memories that read like a prompt injection rank last."""

SCALE = 2.0
"""The sum that maps to tanh(1) = 0.76: close to that of all own signals."""


@dataclass(slots=True)
class RelevanceSignals:
    """Signals that a memory answers a question; all but `session` are in 0..1.

    Attributes:
        cosine: the maximum over the sectors searched.
        words: the share of the question's words that the memory contains.
        context: the same for the memory and the two memories before it.
        tag: 1 if the question names one of its tags.
        date: how well its dates match those of the question.
        suspicion: how much it reads like a prompt injection; see `injection`.
        session: the maximum of `own` in its session; filled in last.
    """

    cosine: float = 0.0
    words: float = 0.0
    context: float = 0.0
    tag: float = 0.0
    date: float = 0.0
    suspicion: float = 0.0
    session: float = 0.0

    def own(self) -> float:
        """Return the weighted sum of the memory's own signals, 0..2.25."""
        return (
            OWN_WEIGHTS["cosine"] * self.cosine
            + OWN_WEIGHTS["words"] * self.words
            + OWN_WEIGHTS["context"] * self.context
            + OWN_WEIGHTS["tag"] * self.tag
            + OWN_WEIGHTS["date"] * self.date
        )

    def relevance(self, own: float | None = None) -> float:
        """Return tanh(sum / SCALE): 0..1, independent of what else is stored.

        `own` is what `own()` returns, if it is known.
        """
        own = self.own() if own is None else own
        total = own + SESSION_WEIGHT * self.session + INJECTION_WEIGHT * self.suspicion
        return math.tanh(max(0.0, total) / SCALE)

    def shares(self) -> dict[str, float]:
        """Return the contribution of each signal to the sum."""
        weights = {**OWN_WEIGHTS, "session": SESSION_WEIGHT, "suspicion": INJECTION_WEIGHT}
        return {name: weight * getattr(self, name) for name, weight in weights.items()}


@dataclass(frozen=True, slots=True)
class ScoredMemory:
    """A memory with its score parts and, for a query, the signals behind its similarity."""

    memory: FoundMemory
    parts: ScoreParts
    signals: RelevanceSignals | None = None

    @property
    def score(self) -> float:
        """The composite score of the ThoughtMCP reference, 0..1."""
        return self.parts.score
