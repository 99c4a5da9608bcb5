"""The items of a report: a row each with its outcome, and transcripts of the notable ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reasonloom.evals.comparison.changes import is_right
from reasonloom.evals.comparison.pairs import Key, Side
from reasonloom.evals.log import Record
from reasonloom.evals.reporting.formatting import (
    DisplayBudget,
    TruncatedText,
    natural_key,
    shortened_line,
)
from reasonloom.evals.reporting.report import Compared, Report

MAX_ITEMS = 5_000
"""Maximum rows of a page."""

QUESTION_LENGTH, ANSWER_LENGTH = 160, 100
"""Characters of a question and of an answer in a row."""

OUTCOMES = ("to_wrong", "to_right", "other", "wrong", "right")
"""Outcomes of an item from one run to another, in row order."""


@dataclass(frozen=True, slots=True)
class Row:
    """One item with its score in every run, None for a run that lacks the item.

    `ways` are its outcomes in each other run against the base; for a single run, right or wrong.
    """

    key: Key
    question: str
    answers: Sequence[str]
    scores: Sequence[float | None]
    ways: Sequence[str]

    @property
    def item(self) -> str:
        """The item's id."""
        return self.key[0]


def item_rows(report: Report) -> list[Row]:
    """Return all items of all runs: flipped ones first, then by id."""
    keys = dict.fromkeys(key for run in report.runs for key in run.side.scores)
    found = [_row(report, key) for key in keys]
    return sorted(
        found, key=lambda row: (min(map(OUTCOMES.index, row.ways)), natural_key(row.item))
    )


def _row(report: Report, key: Key) -> Row:
    runs = report.runs
    scores = [run.side.scores.get(key) for run in runs]
    records = [run.side.records[key][0] if key in run.side.records else None for run in runs]
    first = next(record for record in records if record is not None)
    answers = [
        shortened_line(record.error or record.output, ANSWER_LENGTH) if record else ""
        for record in records
    ]
    base, *others = scores
    ways = [outcome_of(base, other, report.lower) for other in others or [base]]
    return Row(key, shortened_line(first.input, QUESTION_LENGTH), answers, scores, ways)


def outcome_of(base: float | None, other: float | None, lower: bool) -> str:
    """Return an item's outcome: flipped, changed score, or unchanged."""
    if base is None or other is None:
        return "other"
    before, after = is_right(base, lower), is_right(other, lower)
    if before != after:
        return "to_right" if after else "to_wrong"
    if base != other:
        return "other"
    return "right" if after else "wrong"


def count_outcomes(report: Report, each: Compared) -> dict[str, int]:
    """Return how many shared items became right or wrong, or stayed right or wrong."""
    before, after = report.base.side.scores, each.run.side.scores
    sides = [
        tuple(is_right(score, report.lower) for score in (before[key], after[key]))
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


MAX_DISPLAYED = 100
"""Items per direction whose transcripts are displayed."""

MOST_EPOCHS, MOST_CALLS = 5, 20
"""Displayed epochs per item, and calls per answer."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a language model: messages as (role, text), and its reply."""

    messages: Sequence[tuple[str, TruncatedText]]
    reply: TruncatedText


@dataclass(frozen=True, slots=True)
class AnswerTranscript:
    """One answer; `more` counts omitted calls."""

    epoch: int
    score: float
    output: TruncatedText
    reason: str
    failed: bool
    run: str
    calls: Sequence[Call]
    more: int


@dataclass(frozen=True, slots=True)
class Transcript:
    """One item in one run; `more` counts omitted epochs."""

    score: float
    answers: Sequence[AnswerTranscript]
    more: int


@dataclass(frozen=True, slots=True)
class DisplayedItem:
    """One item with the transcripts of the compared runs."""

    item: str
    question: TruncatedText
    target: TruncatedText | None
    transcripts: Sequence[Transcript]


@dataclass(frozen=True, slots=True)
class DisplayedItems:
    """Displayed items, and the number omitted for lack of space."""

    displayed: Sequence[DisplayedItem]
    left_out: int


def flipped_items(report: Report, each: Compared, way: str, room: DisplayBudget) -> DisplayedItems:
    """Return the items that flipped in one direction, largest change first."""
    sides = (report.base.side, each.run.side)
    before, after = (side.scores for side in sides)
    wanted = sorted(
        (
            key
            for key in before
            if key in after and outcome_of(before[key], after[key], report.lower) == way
        ),
        key=lambda key: (-abs(after[key] - before[key]), natural_key(key[0])),
    )
    return _select(wanted, sides, report.score, room)


def worst_items(report: Report, room: DisplayBudget) -> DisplayedItems:
    """Return the items of a single run, worst scores first."""
    side, sign = report.base.side, -1 if report.lower else 1
    wanted = sorted(side.scores, key=lambda key: (sign * side.scores[key], natural_key(key[0])))
    return _select(wanted, (side,), report.score, room)


def _select(
    wanted: Sequence[Key], sides: Sequence[Side], score: str, room: DisplayBudget
) -> DisplayedItems:
    items: list[DisplayedItem] = []
    for key in wanted[:MAX_DISPLAYED]:
        if room.full:
            break
        items.append(_displayed(key, sides, score, room))
    return DisplayedItems(items, len(wanted) - len(items))


def _displayed(key: Key, sides: Sequence[Side], score: str, room: DisplayBudget) -> DisplayedItem:
    first = sides[0].records[key][0]
    target = None if first.target is None else room.cut(first.target)
    return DisplayedItem(
        key[0],
        room.cut(first.input),
        target,
        [_transcript(key, side, score, room) for side in sides],
    )


def _transcript(key: Key, side: Side, score: str, room: DisplayBudget) -> Transcript:
    records = side.records[key]
    answers = [_answered(record, score, room) for record in records[:MOST_EPOCHS]]
    return Transcript(side.scores[key], answers, len(records) - len(answers))


def _answered(record: Record, score: str, room: DisplayBudget) -> AnswerTranscript:
    calls = [_call(call, room) for call in record.calls[:MOST_CALLS]]
    return AnswerTranscript(
        record.epoch,
        record.scores[score],
        room.cut(record.error or record.output),
        room.cut(record.said.get(score, "")).text,
        bool(record.error),
        record.run,
        calls,
        len(record.calls) - len(calls),
    )


def _call(call: dict[str, Any], room: DisplayBudget) -> Call:
    messages = []
    for message in call.get("asked", ()):
        # A message without text has other content, such as tool calls.
        other = {name: value for name, value in message.items() if name != "role"}
        text = room.cut(message.get("content") or other)
        messages.append((str(message.get("role", "")), text))
    return Call(messages, room.cut(call.get("said", "")))
