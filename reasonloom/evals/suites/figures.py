"""One figure of an eval: what it measures, its interval, and guessing baselines."""

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
    """One figure of a set (`part`) or of `latency`, of one class, fault or tool, or of all.

    `value` is None if there is nothing to measure; a share has its 95 % interval. `guess` is what
    random guessing is expected to reach on the same items, `majority` always answering the most
    frequent label.
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
    try:
        return statistics.correlation(one, other)
    except statistics.StatisticsError:
        return None


def mean_distance(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return the mean absolute error; None without values."""
    return fmean(abs(a - b) for a, b in zip(one, other, strict=True)) if one else None


def rounded(figure: Figure) -> dict[str, Any]:
    """Return a figure as an object, with value and interval rounded."""
    values = asdict(figure) | {"value": rounded_value(figure)}
    if figure.interval is not None:
        values["interval"] = [round(end, DIGITS) for end in figure.interval]
    return values


def rounded_value(figure: Figure) -> float | None:
    """Return the rounded value of a figure."""
    return None if figure.value is None else round(figure.value, DIGITS)
