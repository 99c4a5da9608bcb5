"""One figure of an eval: what it measures, its interval, and guessing baselines."""

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
        part: the set, or `latency`.
        name: what is measured.
        of: the class, fault or tool; or `all`.
        value: None if there is nothing to measure.
        n: sample size.
        interval: 95 % interval of a share.
        guess: expected value of random guessing on the same items.
        majority: value of always answering the most frequent label.
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
    """Return Pearson's correlation; None if one side does not vary."""
    if not one or not pstdev(one) or not pstdev(other):
        return None
    means = fmean(one), fmean(other)
    together = fmean((a - means[0]) * (b - means[1]) for a, b in zip(one, other, strict=True))
    return together / (pstdev(one) * pstdev(other))


def mean_distance(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return the mean absolute error; None without values."""
    return fmean(abs(a - b) for a, b in zip(one, other, strict=True)) if one else None
