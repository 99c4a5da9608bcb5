"""Scores memories: the composite score, and relevance to a question from several signals.

The weights are round numbers, chosen on the development halves of LoCoMo and of our own set
together (docs/memory.md has the ablations).
"""

import math
from dataclasses import dataclass
from datetime import datetime

from reasonloom.text.sentences import sentence_runs

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


def recency(last_accessed: datetime, now: datetime, half_life_days: float) -> float:
    """Return 1 for now, 0.5 for one half-life ago, towards 0."""
    days = max(0.0, (now - last_accessed).total_seconds() / SECONDS_PER_DAY)
    return float(0.5 ** (days / half_life_days))


OWN_WEIGHTS = {"cosine": 0.5, "words": 0.4, "tag": 0.25, "date": 0.4}
"""Weights of a memory's own signals."""

CONTEXT_WEIGHTS = {"session": 0.4, "before": 0.1, "after": 0.15}
"""Weights of its context: the best of its session, and the cosines of its neighbours."""

QUESTION_WEIGHT = -0.15
"""Of a memory's share of questions: questions do not answer."""

INJECTION_WEIGHT = -1.5
"""Of suspicion: memories that read like an attempt to steer their reader rank last."""

SCALE = 1.5
"""The sum that maps to tanh(1) = 0.76: nearly all signals."""

QUESTION_MARKS = ("?", "？", "؟")
READ_CHARACTERS = 2_000


@dataclass(slots=True)
class RelevanceSignals:
    """Signals that a memory answers a question, each in 0..1; its context is filled in later.

    Attributes:
        cosine: the best over the sectors searched.
        words: the share of the question's words in it and the two memories before it.
        tag: 1 if the question names one of its tags.
        date: how well its dates match the question's.
        asking: the share of it that is questions.
        suspicion: how much it reads like an attempt to steer its reader; see `injection`.
        session: the best sum of own signals in its session.
        before: the cosine of the memory before it in its session.
        after: the cosine of the memory after it.
    """

    cosine: float = 0.0
    words: float = 0.0
    tag: float = 0.0
    date: float = 0.0
    asking: float = 0.0
    suspicion: float = 0.0
    session: float = 0.0
    before: float = 0.0
    after: float = 0.0

    def own(self) -> float:
        """Return the weighted sum of the memory's own signals, 0..1.55."""
        return (
            OWN_WEIGHTS["cosine"] * self.cosine
            + OWN_WEIGHTS["words"] * self.words
            + OWN_WEIGHTS["tag"] * self.tag
            + OWN_WEIGHTS["date"] * self.date
        )

    def around(self) -> float:
        """Return the weighted sum of its context's signals."""
        return (
            CONTEXT_WEIGHTS["session"] * self.session
            + CONTEXT_WEIGHTS["before"] * self.before
            + CONTEXT_WEIGHTS["after"] * self.after
        )

    def relevance(self) -> float:
        """Return tanh(sum / SCALE): 0..1, independent of what else is stored."""
        against = QUESTION_WEIGHT * self.asking + INJECTION_WEIGHT * self.suspicion
        return math.tanh(max(0.0, self.own() + self.around() + against) / SCALE)

    def shares(self) -> dict[str, float]:
        """Return what each signal adds to the sum."""
        weights = {
            **OWN_WEIGHTS,
            **CONTEXT_WEIGHTS,
            "asking": QUESTION_WEIGHT,
            "suspicion": INJECTION_WEIGHT,
        }
        return {name: weight * getattr(self, name) for name, weight in weights.items()}


def question_share(content: str) -> float:
    """Return the share of a content's characters that are in questions, 0..1."""
    if not any(mark in content for mark in QUESTION_MARKS):
        return 0.0
    sentences = list(sentence_runs(content[:READ_CHARACTERS], ".!?。！？؟"))
    total = sum(map(len, sentences))
    questions = sum(len(each) for each in sentences if each.endswith(QUESTION_MARKS))
    return questions / total if total else 0.0
