"""One figure of an eval of the checks: what it is of, its interval, and what guessing gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Literal

from reasonloom.nodes.mental_models.accuracy import wilson_interval

ALL = "all"

Unit = Literal["share", "number", "ms"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure.

    Attributes:
        part: the set that it is of, or `latency`.
        name: what is measured.
        of: of which class, fault or tool; `all` of them.
        value: None where there is nothing to measure it on.
        n: how many things it is counted on.
        interval: the ends of 95 % of a share.
        guess: what a guess by lot would give on the same items.
        majority: what the set's most frequent label, always told, would give.
        unit: a share of one, a plain number, or milliseconds.
    """

    part: str
    name: str
    of: str = ALL
    value: float | None
    n: int
    interval: tuple[float, float] | None = None
    guess: float | None = None
    majority: float | None = None
    unit: Unit = "share"


def share(
    part: str,
    name: str,
    hits: Sequence[float],
    *,
    of: str = ALL,
    guess: float | None = None,
    majority: float | None = None,
) -> Figure:
    """Return the share of hits, each 1, 0 or, for a tie, a half."""
    count = len(hits)
    return Figure(
        part=part,
        name=name,
        of=of,
        value=fmean(hits) if count else None,
        n=count,
        interval=wilson_interval(sum(hits), count) if count else None,
        guess=guess,
        majority=majority,
    )


def correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return Pearson's correlation; None where one of them does not vary."""
    if not one or not pstdev(one) or not pstdev(other):
        return None
    means = fmean(one), fmean(other)
    together = fmean((a - means[0]) * (b - means[1]) for a, b in zip(one, other, strict=True))
    return together / (pstdev(one) * pstdev(other))


def mean_distance(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return the mean absolute error; None where there is nothing."""
    return fmean(abs(a - b) for a, b in zip(one, other, strict=True)) if one else None
