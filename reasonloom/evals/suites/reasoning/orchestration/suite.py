"""Intervals by bootstrap over items; the seeds of an item go together, as they hang together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reasonloom.evals.log import Record

Summed = Literal["mean", "median"]
Beside = Literal["ratio", "difference"]
RESAMPLES = 2_000
SEED = 7
OF: dict[Summed, Callable[..., Any]] = {"mean": np.mean, "median": np.median}
BESIDE: dict[Beside, Callable[..., Any]] = {"ratio": np.divide, "difference": np.subtract}


@dataclass(frozen=True)
class Table:
    """The figures of one row: by name an array of items times seeds, in the items' order."""

    figures: dict[str, NDArray[np.float64]]

    def __bool__(self) -> bool:
        return bool(self.figures)

    def names(self) -> list[str]:
        """Return the names of the figures."""
        return list(self.figures)

    def count(self) -> int:
        """Return how many results there are."""
        return int(self.figures["score"].size)

    def summed(self, name: str, how: Summed) -> float:
        """Return the mean or median of a figure."""
        return float(OF[how](self.figures[name]))

    def seed_sd(self, name: str, how: Summed) -> float:
        """Return the standard deviation over seeds of a figure's mean or median."""
        by_seed = OF[how](self.figures[name], axis=0)
        return float(np.std(by_seed, ddof=1)) if by_seed.size > 1 else 0.0

    def ratio(self, other: Table, name: str, how: Summed) -> float:
        """Return a figure's mean or median as a multiple of another row's; NaN where that is 0."""
        base = other.summed(name, how)
        return self.summed(name, how) / base if base else float("nan")


def table(records: Iterable[Record]) -> Table:
    """Return the figures of records that hold the same items for every seed.

    What is not there for all seeds of an item (an eval that is at work) is left out.
    """
    found: dict[str, dict[int, dict[str, float]]] = {}
    for record in records:
        item = record.item.split("/", 1)[1]
        found.setdefault(item, {})[record.epoch] = _figures(record)
    seeds = max((len(each) for each in found.values()), default=0)
    whole = [by_seed for by_seed in found.values() if len(by_seed) == seeds]
    if not whole:
        return Table({})
    names = list(next(iter(whole[0].values())))
    return Table(
        {
            name: np.array([[by_seed[seed][name] for seed in sorted(by_seed)] for by_seed in whole])
            for name in names
        }
    )


def _figures(record: Record) -> dict[str, float]:
    """Return the score, what it was counted by, and the bill, by plain names."""
    scores = {name.removeprefix("score/"): value for name, value in record.scores.items()}
    return {**scores, **record.usage}


def interval(
    of: Table, name: str, how: Summed, *, beside: Table | None = None, as_: Beside = "ratio"
) -> tuple[float, float]:
    """Return the ends of the 95 % interval of a figure, or of what it is beside another row's.

    Percentile bootstrap over items (Efron & Tibshirani 1993, chapter 13), 2,000 resamples drawn
    with a fixed seed. Beside another row the same items are drawn of both. NaN where the other
    row's figure is 0 in every resample, and so nothing is a multiple of it.
    """
    figures, rng = of.figures[name], np.random.default_rng(SEED)
    items = figures.shape[0]
    drawn = rng.integers(0, items, size=(RESAMPLES, items))
    values = _resampled(figures, drawn, how)
    if beside is not None:
        with np.errstate(divide="ignore", invalid="ignore"):
            values = BESIDE[as_](values, _resampled(beside.figures[name], drawn, how))
    known = values[~np.isnan(values)]
    with np.errstate(invalid="ignore"):  # a multiple of 0 is infinite
        low, high = np.percentile(known, [2.5, 97.5]) if known.size else (np.nan, np.nan)
    return float(low), float(high)


def _resampled(
    figures: NDArray[np.float64], drawn: NDArray[Any], how: Summed
) -> NDArray[np.float64]:
    return np.array([OF[how](figures[rows]) for rows in drawn])
