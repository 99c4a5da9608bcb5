"""Answers with what was asked and said, as far as a page has room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reasonloom.evals.comparison.pairs import Key, Side
from reasonloom.evals.log import Record
from reasonloom.evals.reporting.items import way as way_of
from reasonloom.evals.reporting.report import Compared, Report
from reasonloom.evals.reporting.shown import Cut, Room, natural

MOST_ITEMS = 100
"""Items whose transcripts are shown, each way."""

MOST_EPOCHS, MOST_CALLS = 5, 20
"""Epochs of an item, and calls of an answer, that are shown."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a language model: the messages as (role, text), and what it said."""

    asked: Sequence[tuple[str, Cut]]
    said: Cut


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer; `more` counts calls that are not shown."""

    epoch: int
    score: float
    output: Cut
    said: str
    failed: bool
    run: str
    calls: Sequence[Call]
    more: int


@dataclass(frozen=True, slots=True)
class Transcript:
    """One item in one run; `more` counts epochs that are not shown."""

    score: float
    answers: Sequence[Answered]
    more: int


@dataclass(frozen=True, slots=True)
class Shown:
    """One item with the transcripts of the runs that are held against each other."""

    item: str
    asked: Cut
    target: Cut | None
    transcripts: Sequence[Transcript]


@dataclass(frozen=True, slots=True)
class Some:
    """Items that are shown, and how many are not for want of room."""

    shown: Sequence[Shown]
    left_out: int


def flipped(report: Report, each: Compared, way: str, room: Room) -> Some:
    """Return the items that flipped one way, the clearest first."""
    sides = (report.base.side, each.run.side)
    before, after = (side.scores for side in sides)
    wanted = sorted(
        (
            key
            for key in before
            if key in after and way_of(before[key], after[key], report.lower) == way
        ),
        key=lambda key: (-abs(after[key] - before[key]), natural(key[0])),
    )
    return _some(wanted, sides, report.score, room)


def worst(report: Report, room: Room) -> Some:
    """Return the items of a run alone, those with the worst scores first."""
    side, sign = report.base.side, -1 if report.lower else 1
    wanted = sorted(side.scores, key=lambda key: (sign * side.scores[key], natural(key[0])))
    return _some(wanted, (side,), report.score, room)


def _some(wanted: Sequence[Key], sides: Sequence[Side], score: str, room: Room) -> Some:
    shown: list[Shown] = []
    for key in wanted[:MOST_ITEMS]:
        if room.full:
            break
        shown.append(_shown(key, sides, score, room))
    return Some(shown, len(wanted) - len(shown))


def _shown(key: Key, sides: Sequence[Side], score: str, room: Room) -> Shown:
    first = sides[0].records[key][0]
    target = None if first.target is None else room.cut(first.target)
    return Shown(
        key[0],
        room.cut(first.input),
        target,
        [_transcript(key, side, score, room) for side in sides],
    )


def _transcript(key: Key, side: Side, score: str, room: Room) -> Transcript:
    records = side.records[key]
    answers = [_answered(record, score, room) for record in records[:MOST_EPOCHS]]
    return Transcript(side.scores[key], answers, len(records) - len(answers))


def _answered(record: Record, score: str, room: Room) -> Answered:
    calls = [_call(call, room) for call in record.calls[:MOST_CALLS]]
    return Answered(
        record.epoch,
        record.scores[score],
        room.cut(record.error or record.output),
        room.cut(record.said.get(score, "")).text,
        bool(record.error),
        record.run,
        calls,
        len(record.calls) - len(calls),
    )


def _call(call: dict[str, Any], room: Room) -> Call:
    asked = [
        (str(message.get("role", "")), room.cut(message.get("content") or _rest(message)))
        for message in call.get("asked", ())
    ]
    return Call(asked, room.cut(call.get("said", "")))


def _rest(message: dict[str, Any]) -> dict[str, Any]:
    """Return what a message without words holds, such as calls of tools."""
    return {name: value for name, value in message.items() if name != "role"}
