"""The items of a report, one row each, with what became of them in every run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reasonloom.evals.comparison.changes import RIGHT
from reasonloom.evals.comparison.pairs import Key
from reasonloom.evals.reporting.report import Compared, Report
from reasonloom.evals.reporting.shown import natural, short

MOST = 5_000
"""Rows of a page."""

ASKED, ANSWERED = 160, 100
"""Characters of a question and of an answer in a row."""

WAYS = ("to_wrong", "to_right", "other", "wrong", "right")
"""What becomes of an item from one run to another, in the order of rows."""


@dataclass(frozen=True, slots=True)
class Row:
    """One item.

    Attributes:
        scores: of every run, None where it has not the item.
        ways: what became of it from the base to each other run; of a run alone right or wrong.
    """

    key: Key
    asked: str
    answers: Sequence[str]
    scores: Sequence[float | None]
    ways: Sequence[str]

    @property
    def item(self) -> str:
        """The item's id."""
        return self.key[0]


def rows(report: Report) -> list[Row]:
    """Return all items of all runs: those that flipped first, then by id."""
    keys = dict.fromkeys(key for run in report.runs for key in run.side.scores)
    found = [_row(report, key) for key in keys]
    return sorted(found, key=lambda row: (_first(row.ways), natural(row.item)))


def _first(ways: Iterable[str]) -> int:
    return min((WAYS.index(way) for way in ways), default=len(WAYS))


def _row(report: Report, key: Key) -> Row:
    runs = report.runs
    scores = [run.side.scores.get(key) for run in runs]
    records = [run.side.records[key][0] if key in run.side.records else None for run in runs]
    first = next(record for record in records if record is not None)
    answers = [
        short(record.error or record.output, ANSWERED) if record else "" for record in records
    ]
    base, *others = scores
    ways = [way(base, other, report.lower) for other in others or [base]]
    return Row(key, short(first.input, ASKED), answers, scores, ways)


def way(base: float | None, other: float | None, lower: bool = False) -> str:
    """Return what became of an item: it flipped, its score changed, or it is as it was."""
    if base is None or other is None:
        return "other"
    before, after = ((score >= RIGHT) != lower for score in (base, other))
    if before != after:
        return "to_right" if after else "to_wrong"
    if base != other:
        return "other"
    return "right" if after else "wrong"


def counted(report: Report, each: Compared) -> dict[str, int]:
    """Return how many items that both runs have became right or wrong, or were so in both."""
    before, after = report.base.side.scores, each.run.side.scores
    sides = [
        tuple((score >= RIGHT) != report.lower for score in (before[key], after[key]))
        for key in before
        if key in after
    ]
    return {
        "items": len(sides),
        "right": sides.count((True, True)),
        "to_right": sides.count((False, True)),
        "to_wrong": sides.count((True, False)),
        "wrong": sides.count((False, False)),
    }
