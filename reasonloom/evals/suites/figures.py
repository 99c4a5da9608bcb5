"""Figures of an eval, with confidence intervals and guessing baselines."""

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any, Literal

from reasonloom.nodes.mental_models.accuracy import wilson_interval

ALL = "all"
DIGITS = 4

Unit = Literal["share", "number", "ms"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure of a set or of `latency` (`part`), for a class, fault or tool (`of`), or for all.

    `value` is None if there is nothing to measure; a share has a 95 % confidence interval. `guess`
    is the expected result of random guessing on the same items, `majority` that of always giving
    the most frequent label.
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
    """Return the share of hits; each is 1 or 0, or 0.5 for a tie."""
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
    """Return Pearson's correlation coefficient; None if one side does not vary."""
    try:
        return statistics.correlation(one, other)
    except statistics.StatisticsError:
        return None


def mean_distance(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return the mean absolute error; None without values."""
    return fmean(abs(a - b) for a, b in zip(one, other, strict=True)) if one else None


def rounded(figure: Figure) -> dict[str, Any]:
    """Return a figure as a dict, with all numbers rounded."""
    return {name: _rounded(value) for name, value in asdict(figure).items()}


def _rounded(value: Any) -> Any:
    if isinstance(value, tuple):
        return [round(end, DIGITS) for end in value]
    return round(value, DIGITS) if isinstance(value, float) else value


def rounded_value(figure: Figure) -> float | None:
    """Return a figure's rounded value."""
    return None if figure.value is None else round(figure.value, DIGITS)
