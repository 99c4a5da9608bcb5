"""Side-by-side differences of answers: each other run's answer to an item against the base's."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reasonloom.evals.reporting.comparison import Pieces, word_difference
from reasonloom.evals.reporting.formatting import DisplayBudget
from reasonloom.evals.reporting.items import Row
from reasonloom.evals.reporting.report import Report, ReportedRun

MOST_CELLS = 300
"""Maximum differences of a page."""

ROOM = 1_000_000
"""Displayed characters of all differences of a page."""


@dataclass(frozen=True, slots=True)
class AnswerDiff:
    """The first answers of the base and of another run to an item, with changed words marked."""

    item: str
    label: str
    before: Pieces
    after: Pieces
    left_out: int


def answer_diffs(report: Report, rows: Sequence[Row]) -> Mapping[tuple[int, int], AnswerDiff]:
    """Return the differing answers by the number of their row and of their run, from 0.

    Rows come first to last until the page has no room; the base is run 0.
    """
    found: dict[tuple[int, int], AnswerDiff] = {}
    for place, diff in _differing(report, rows, DisplayBudget(ROOM)):
        if len(found) >= MOST_CELLS:
            break
        found[place] = diff
    return found


def _differing(
    report: Report, rows: Sequence[Row], room: DisplayBudget
) -> Iterator[tuple[tuple[int, int], AnswerDiff]]:
    for number, row in enumerate(rows):
        for place, run in enumerate(report.runs[1:], 1):
            if room.full:
                return
            before, after = (first_answer(each, row) for each in (report.base, run))
            if before is None or after is None or before == after:
                continue
            one, two = room.cut(before), room.cut(after)
            pieces = word_difference(one.text, two.text)
            left_out = one.left_out + two.left_out
            yield (number, place), AnswerDiff(row.item, run.label, *pieces, left_out)


def first_answer(run: ReportedRun, row: Row) -> object:
    """Return a run's answer to an item in its first epoch, or the error; None if it lacks both."""
    records = run.side.records.get(row.key)
    return (records[0].error or records[0].output) if records else None
