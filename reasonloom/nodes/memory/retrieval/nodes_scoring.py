"""The reference's composite score, and recency within it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

SECONDS_PER_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Parts:
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
