"""Orchestration evals as suites: items are rows times problems, epochs are seeds.

Intervals are bootstrapped over problems; a problem's seeds are resampled together, because they are
dependent.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reasonloom.errors import UnknownName
from reasonloom.evals.core.item import Answer, Item, Mark
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.way import AnswerContext, Answering, Opening
from reasonloom.evals.log import EvalLog, Record
from reasonloom.evals.scorers.function import Measure
from reasonloom.evals.suites.packaged import Packaged
from reasonloom.evals.suites.reasoning.orchestration.catalog import (
    Choices,
    Orchestration,
    Problem,
    Row,
)

Summed = Literal["mean", "median"]
Relation = Literal["ratio", "difference"]
RESAMPLES = 2_000
BOOTSTRAP_SEED = 7
OF: dict[Summed, Callable[..., Any]] = {"mean": np.mean, "median": np.median}
RELATIONS: dict[Relation, Callable[..., Any]] = {"ratio": np.divide, "difference": np.subtract}


@dataclass(frozen=True)
class Table:
    """The figures of one row: arrays of items times seeds by name, in item order."""

    figures: dict[str, NDArray[np.float64]]

    def __bool__(self) -> bool:
        return bool(self.figures)

    def count(self) -> int:
        """Return the number of results."""
        return int(self.figures["score"].size)

    def summed(self, name: str, how: Summed) -> float:
        """Return the mean or median of a figure."""
        return float(OF[how](self.figures[name]))

    def seed_sd(self, name: str, how: Summed) -> float:
        """Return the standard deviation over seeds of a figure's mean or median."""
        by_seed = OF[how](self.figures[name], axis=0)
        return float(np.std(by_seed, ddof=1)) if by_seed.size > 1 else 0.0

    def ratio(self, other: Table, name: str, how: Summed) -> float:
        """Return the ratio of a figure's mean or median to another row's; NaN if that is 0."""
        base = other.summed(name, how)
        return self.summed(name, how) / base if base else float("nan")


def table(records: Iterable[Record]) -> Table:
    """Return the figures of records.

    Items without a result for every seed, as in an unfinished run, are omitted.
    """
    found: dict[str, dict[int, dict[str, float]]] = {}
    for record in records:
        item = record.item.split("/", 1)[1]
        scores = {name.removeprefix("score/"): value for name, value in record.scores.items()}
        found.setdefault(item, {})[record.epoch] = {**scores, **record.usage}
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


def bootstrap_interval(
    of: Table,
    name: str,
    how: Summed,
    *,
    reference: Table | None = None,
    relation: Relation = "ratio",
) -> tuple[float, float]:
    """Return the 95 % interval of a figure, or of its ratio to or difference from another row's.

    Percentile bootstrap over items (Efron & Tibshirani 1993, chapter 13) with 2,000 resamples and a
    fixed seed; comparisons draw the same items from both rows. A ratio's ends are NaN if the other
    row's figure is 0 in every resample.
    """
    figures, rng = of.figures[name], np.random.default_rng(BOOTSTRAP_SEED)
    items = figures.shape[0]
    drawn = rng.integers(0, items, size=(RESAMPLES, items))
    values = _resampled(figures, drawn, how)
    if reference is not None:
        with np.errstate(divide="ignore", invalid="ignore"):
            values = RELATIONS[relation](values, _resampled(reference.figures[name], drawn, how))
    known = values[~np.isnan(values)]
    with np.errstate(invalid="ignore"):  # ratios to 0 are infinite
        low, high = np.percentile(known, [2.5, 97.5]) if known.size else (np.nan, np.nan)
    return float(low), float(high)


def _resampled(
    figures: NDArray[np.float64], drawn: NDArray[Any], how: Summed
) -> NDArray[np.float64]:
    return np.array([OF[how](figures[rows]) for rows in drawn])


COSTS = ("calls", "tokens_in", "tokens_out", "usd")


def orchestration_summary(
    suite: Orchestration, rows: Sequence[Row], records: Sequence[Record]
) -> dict[str, Any]:
    """Return `rows` and `compared` with 95 % intervals.

    The intervals cover variation over items of this kind under the same simulated model.
    """
    tables = {
        row.name: table(record for record in records if record.group == row.name) for row in rows
    }
    return {
        "measure": suite.measure,
        "better": suite.better,
        "summarise": suite.summarise,
        "share": suite.share,
        "counted": list(suite.counted),
        "rows": [_row(suite, row, tables[row.name]) for row in rows if tables[row.name]],
        "compared": [
            _compared(suite, new, base, tables)
            for new, base in suite.compared
            if tables.get(new) and tables.get(base)
        ],
    }


def _row(suite: Orchestration, row: Row, found: Table) -> dict[str, Any]:
    low, high = bootstrap_interval(found, "score", suite.summarise)
    also = [name for name in found.figures if name not in ("score", *COSTS)]
    return {
        "row": row.name,
        "published": row.published,
        "status": row.status,
        "n": found.count(),
        "score": round(found.summed("score", suite.summarise), 4),
        "interval": [round(low, 4), round(high, 4)],
        "seed_sd": round(found.seed_sd("score", suite.summarise), 4),
        **{name: round(found.summed(name, "mean"), 6) for name in (*COSTS, *also)},
    }


def _compared(
    suite: Orchestration, new: str, base: str, tables: dict[str, Table]
) -> dict[str, Any]:
    """Return how one row differs from another on the same items and seeds.

    Changes are relative to the base, None if the base is 0.
    """
    one, other, how = tables[new], tables[base], suite.summarise
    low, high = bootstrap_interval(one, "score", how, reference=other)
    ends = bootstrap_interval(one, "score", how, reference=other, relation="difference")
    return {
        "row": new,
        "base": base,
        "score_difference": round(one.summed("score", how) - other.summed("score", how), 4),
        "score_difference_interval": [round(end, 4) for end in ends],
        "score_change": _change(one.ratio(other, "score", how)),
        "score_change_interval": [_change(low), _change(high)],
        "usd_change": _change(one.ratio(other, "usd", "mean")),
    }


def _change(ratio: float) -> float | None:
    return round(ratio - 1, 4) if math.isfinite(ratio) else None


def packaged(
    chosen: Orchestration, choices: Choices, seeds: int = 10, only: Sequence[str] = ()
) -> Packaged:
    """Return the suite of all rows, or of those in `only`, over the problems."""
    problems, digest = chosen.load(choices)
    rows = _chosen(chosen, choices, only)
    suite = Suite(
        chosen.name,
        [  # the items of one problem share a cluster
            Item(f"{row.name}/{each.id}", each.problem, cluster=each.id, group=row.name)
            for row in rows
            for each in problems
        ],
        (Measure("score", _score, lower=chosen.better == "lower"),),
        Opening(partial(opened, {row.name: row for row in rows}), "rows"),
        about={
            "data_sha256": digest,
            "seeds": seeds,
            "rows": [row.name for row in rows],
            "settings": choices.settings,
        },
    )

    def report(log: EvalLog) -> dict[str, Any]:
        return {"items": len(problems), **orchestration_summary(chosen, rows, log.records)}

    return Packaged(suite, report, seeds)


def _chosen(chosen: Orchestration, choices: Choices, only: Sequence[str]) -> list[Row]:
    rows = list(chosen.rows(choices))
    names = [row.name for row in rows]
    for name in only:
        if name not in names:
            raise UnknownName(
                f"{chosen.name} has no row {name}; it has {', '.join(names)}", field="row"
            )
    return [row for row in rows if not only or row.name in only]


@asynccontextmanager
async def opened(rows: dict[str, Row], parts: AnswerContext) -> AsyncIterator[Answering]:
    """Yield the answering function; a row's resources are opened when its first item arrives."""
    held: set[Any] = set()
    async with AsyncExitStack() as stack:

        async def answer(item: Item, epoch: int) -> Answer:
            row = rows[item.group]
            if row.opened not in held:
                held.add(row.opened)
                await stack.enter_async_context(row.opened())
            result = await row.run(Problem(item.cluster, item.input), epoch)
            usage = {name: getattr(result, name) for name in COSTS}
            return Answer({"score": result.score, **result.also}, usage=usage)

        yield answer


def _score(item: Item, output: dict[str, float]) -> Mark:
    also = {name: value for name, value in output.items() if name != "score"}
    return Mark(output["score"], figures={name: float(value) for name, value in also.items()})
