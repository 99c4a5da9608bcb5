"""Determines the time of a question: now, a past period, or the state before a change.

Supports English, German, Spanish and French. A question without temporal words is about now.
"""

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from reasonloom.nodes.memory.calendar.mentions import DateMention, date_mentions
from reasonloom.nodes.memory.calendar.relative import (
    AGO,
    COUNT,
    UNIT,
    UNITS,
    Period,
    count_of,
    months_of,
    one_day,
    relative_periods,
    unit_period,
    without_periods,
    year_begun,
)
from reasonloom.nodes.memory.calendar.terms import READ_CHARACTERS

UNTIL = re.compile(r"\b(?:before|until|till|prior to|up to|vor|bis|antes de|avant)\b", re.I)
REACH = 25
"""Characters after a preposition within which its date must begin."""

SINCE = re.compile(r"\b(?:since|after|from|seit|nach|ab|desde|depuis)\b", re.IGNORECASE)
RECENTLY = re.compile(
    rf"\b(?:last|past|letzten|vergangenen)\s+(?P<count>{COUNT})\s+(?P<unit>{UNIT})(?:en|e|n|s)?\b",
    re.IGNORECASE,
)
LOOKS_BACK = re.compile(
    r"\b(?:originally|initially|at first|used to|previous(?:ly)?|formerly|back then|at the time"
    r"|in the past|before|earlier|until|prior to|no longer"
    r"|ursprünglich|anfangs|zuerst|früher|damals|zuvor|vorher|vor dem|vor der|bevor|ehemals"
    r"|originalmente|antes|al principio|avant|auparavant|à l'origine|au début)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class QuestionTime:
    """The time that a question is about; with default values, now.

    `start` and `end` (exclusive) delimit a period that began in the past; None leaves that side
    open. `looks_back` is whether the question is about the state before a change.
    """

    start: date | None = None
    end: date | None = None
    looks_back: bool = False

    def days_away(self, moment: datetime) -> float:
        """Return the distance of a moment from the period in days, 0 within it."""
        day = moment.astimezone(UTC).date()
        if self.end and day >= self.end:
            return float((day - self.end).days + 1)
        return float((self.start - day).days) if self.start and day < self.start else 0.0

    def knows(self, moment: datetime) -> bool:
        """Return whether a moment lies before the end of the period."""
        return self.end is None or moment.astimezone(UTC).date() < self.end


NOW = QuestionTime()


def question_time(question: str, today: date) -> QuestionTime:
    """Return the time that a question is about, relative to `today`."""
    question = question[:READ_CHARACTERS]
    looks_back = bool(LOOKS_BACK.search(question))
    for word in UNTIL.finditer(question):
        near = question[word.start() : word.end() + REACH]
        if not AGO.match(question, word.start()) and (period := _earliest(near, today)):
            return QuestionTime(None, period[0], looks_back)
    for word in SINCE.finditer(question):
        if period := _earliest(question[word.start() : word.end() + REACH], today):
            return QuestionTime(period[0], None, looks_back)
    if found := RECENTLY.search(question):
        return QuestionTime(_days_back(found, today), None, looks_back)
    period = _earliest(question, today)
    if period and period[1] <= today:
        return QuestionTime(*period, looks_back)
    return QuestionTime(looks_back=looks_back)


def _days_back(found: re.Match[str], today: date) -> date | None:
    """Return the day that lies the matched number of days, weeks, ... before `today`."""
    unit = UNITS[found["unit"].lower()]
    try:
        start, end = unit_period(unit, -count_of(found["count"]), today)
    except (OverflowError, ValueError):
        return None
    passed = today - unit_period(unit, 0, today)[0]
    return min(start + passed, end - timedelta(days=1))


def _earliest(text: str, today: date) -> Period | None:
    """Return the earliest period in a text that began by `today`, if any."""
    return min((each for each in _periods(text, today) if each[0] <= today), default=None)


def _periods(text: str, today: date) -> Iterator[Period]:
    found = list(relative_periods(text, today))
    yield from (each.period for each in found)
    for mention in date_mentions(without_periods(text, found)):
        if period := _period_of(mention, today):
            yield period


def _period_of(mention: DateMention, today: date) -> Period | None:
    year, month, day = mention
    if month is None:
        return months_of(year, 1, 12) if year else None
    year = year or year_begun(month, today)
    if day is None:
        return months_of(year, month, 1)
    return one_day(date(year, month, day)) if day <= monthrange(year, month)[1] else None
