"""How relevant a memory is to a question: signals of its own, of its session, of its neighbours.

The weights are round numbers, chosen on the development halves of LoCoMo and of our own set
together (docs/memory.md tells what either would be without each).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import datetime

SECONDS_PER_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """What a score is made of, each in 0..1; `similarity` is None where no text was asked.

    Attributes:
        link: with a text, the best of weight x similarity over the memories it is linked to;
            without one, the mean weight of its waypoints.
    """

    salience: float
    recency: float
    link: float
    similarity: float | None = None

    @property
    def score(self) -> float:
        """The composite, 0..1.

        With a text 0.6 similarity + 0.2 salience + 0.1 recency + 0.1 link weight; without one
        0.4 salience + 0.3 recency + 0.3 link weight.
        """
        if self.similarity is None:
            return 0.4 * self.salience + 0.3 * self.recency + 0.3 * self.link
        return 0.6 * self.similarity + 0.2 * self.salience + 0.1 * self.recency + 0.1 * self.link


def recency(last_accessed: datetime, now: datetime, half_life_days: float) -> float:
    """Return 1 for now, 0.5 one half-life ago, towards 0."""
    days = max(0.0, (now - last_accessed).total_seconds() / SECONDS_PER_DAY)
    return float(0.5 ** (days / half_life_days))


OWN_WEIGHTS = {"cosine": 0.5, "words": 0.4, "tag": 0.25, "date": 0.4}
"""What a memory brings by itself."""

CONTEXT_WEIGHTS = {"session": 0.4, "before": 0.1, "after": 0.15}
"""What stands around it brings: the best of its session, and the cosines of its neighbours."""

QUESTION_WEIGHT = -0.15
"""A memory that only asks does not answer."""

INJECTION_WEIGHT = -1.5
"""A memory that reads like an attempt to steer its reader stands behind those that do not."""

SCALE = 1.5
"""The sum that is squashed to tanh(1) = 0.76: a memory with nearly all that can be had."""

SENTENCE = re.compile(r"[^.!?。！？؟\n]+[.!?。！？؟]*")
QUESTION_MARKS = ("?", "？", "؟")
READ_CHARACTERS = 2_000


@dataclass(slots=True)
class RelevanceSignals:
    """Why a memory may answer, each part in 0..1; what stands around it is filled in later.

    Attributes:
        cosine: its best over the sectors searched.
        words: the share of the question's words that it holds with the two memories before it.
        tag: 1 where the question names one of its tags.
        date: what its dates are worth to the question's.
        asking: the share of it that is questions.
        suspicion: how much it reads like an attempt to steer its reader, see `nodes/memory/injection/detection.py`.
        session: the best of its session, by what those memories bring by themselves.
        before: the cosine of the memory before it in its session.
        after: the cosine of the one after it.
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
        """Return what the memory brings by itself, 0..1.55."""
        return (
            OWN_WEIGHTS["cosine"] * self.cosine
            + OWN_WEIGHTS["words"] * self.words
            + OWN_WEIGHTS["tag"] * self.tag
            + OWN_WEIGHTS["date"] * self.date
        )

    def around(self) -> float:
        """Return what stands around the memory brings, 0..1.3."""
        return (
            CONTEXT_WEIGHTS["session"] * self.session
            + CONTEXT_WEIGHTS["before"] * self.before
            + CONTEXT_WEIGHTS["after"] * self.after
        )

    def relevance(self) -> float:
        """Return tanh(sum / 1.5): 0..1, in the order of the sums, whatever else is stored."""
        against = QUESTION_WEIGHT * self.asking + INJECTION_WEIGHT * self.suspicion
        return math.tanh(max(0.0, self.own() + self.around() + against) / SCALE)

    def shares(self) -> dict[str, float]:
        """Return what each signal adds to the sum before it is squashed."""
        weights = {
            **OWN_WEIGHTS,
            **CONTEXT_WEIGHTS,
            "asking": QUESTION_WEIGHT,
            "suspicion": INJECTION_WEIGHT,
        }
        return {name: weight * getattr(self, name) for name, weight in weights.items()}


def question_share(content: str) -> float:
    """Return the share of a content's characters that stand in questions, 0..1."""
    if not any(mark in content for mark in QUESTION_MARKS):
        return 0.0
    sentences = [found.strip() for found in SENTENCE.findall(content[:READ_CHARACTERS])]
    whole = sum(map(len, sentences))
    asked = sum(len(each) for each in sentences if each.endswith(QUESTION_MARKS))
    return asked / whole if whole else 0.0
