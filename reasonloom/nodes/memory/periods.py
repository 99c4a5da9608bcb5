"""The time that a question is about: a period in the past, or what was so before a change.

Read in English, German, Spanish and French. A question without such words is about now.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from reasonloom.nodes.memory.dates import (
    MONTH_WEIGHT,
    NUMBERS,
    READ_CHARACTERS,
    YEAR,
    DateMention,
    date_mentions,
)

MONTHS_OF_YEAR = 12
MOST_MONTHS = 4
"""The months of the longest period whose months are looked for one by one."""

SEASONS = {
    "spring": 3, "frühling": 3, "frühjahr": 3, "primavera": 3, "printemps": 3,
    "summer": 6, "sommer": 6, "verano": 6, "été": 6,
    "autumn": 9, "fall": 9, "herbst": 9, "otoño": 9, "automne": 9,
    "winter": 12, "invierno": 12, "hiver": 12,
}  # fmt: skip
"""The month in which each begins, in the northern half of the world."""

PARTS = {"early": 1, "anfang": 1, "mid": 5, "mitte": 5, "late": 9, "ende": 9, "end of": 9}
"""The month in which each part of a year begins; a part has four months."""

ORDINALS = {"first": 1, "erste": 1, "second": 2, "zweite": 2, "third": 3, "dritte": 3,
            "fourth": 4, "vierte": 4}  # fmt: skip
DAYS_OF = {"day": 1, "tag": 1, "week": 7, "woche": 7, "month": 30, "monat": 30,
           "year": 365, "jahr": 365}  # fmt: skip
COUNTS = {**NUMBERS, "ein": 1, "einem": 1, "einer": 1, "zwei": 2, "drei": 3, "vier": 4,
          "fünf": 5, "sechs": 6, "a few": 3, "ein paar": 3}  # fmt: skip


def _any_of(words: Mapping[str, int]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


LAST = r"(?:last|past|previous|letzte[rsnm]?|vergangene[rsnm]?|pasad[oa]|derni(?:er|ère))"
SEASON = re.compile(
    rf"(?:(?P<last>{LAST})\s+)?\b(?P<season>{_any_of(SEASONS)})s?\b"
    rf"(?:\s+(?:of\s+|de\s+|del\s+)?(?P<year>{YEAR})|\s+(?P<after>pasad[oa]|derni(?:er|ère)))?",
    re.IGNORECASE,
)
QUARTER = re.compile(
    rf"\b(?:Q(?P<q>[1-4])|(?P<n>[1-4])\.\s*Quartal"
    rf"|(?P<word>{_any_of(ORDINALS)})[srn]?\s+(?:quarter|Quartal))"
    rf"(?:\s+(?:of\s+)?(?P<year>{YEAR}))?",
    re.IGNORECASE,
)
PART = re.compile(rf"\b(?P<part>{_any_of(PARTS)})[\s-]+(?P<year>{YEAR})\b", re.IGNORECASE)
CALENDAR = re.compile(rf"\b{LAST}\s+(?P<unit>week|woche|month|monat|year|jahr)\b", re.IGNORECASE)
AGO = re.compile(
    rf"\b(?:(?P<count>\d{{1,3}}|{_any_of(COUNTS)})\s+(?P<unit>day|week|month|year)s?\s+ago"
    rf"|vor\s+(?P<zahl>\d{{1,3}}|{_any_of(COUNTS)})\s+(?P<einheit>tag|woche|monat|jahr)(?:en|e|n)?)\b",
    re.IGNORECASE,
)
UNTIL = re.compile(r"\b(?:before|until|till|prior to|up to|vor|bis|antes de|avant)\b", re.I)
REACH = 25
"""Characters after such a word within which its date begins."""

SINCE = re.compile(r"\b(?:since|after|from|seit|nach|ab|desde|depuis)\s+$", re.IGNORECASE)
LOOKS_BACK = re.compile(
    r"\b(?:originally|initially|at first|used to|previous(?:ly)?|formerly|back then|at the time"
    r"|in the past|before|earlier|until|prior to|no longer"
    r"|ursprünglich|anfangs|zuerst|früher|damals|zuvor|vorher|vor dem|vor der|bevor|ehemals"
    r"|originalmente|antes|al principio|avant|auparavant|à l'origine|au début)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class QuestionTime:
    """What time a question is about; without any field it is about now.

    `start` and `end` are the days of a period that has begun in the past, `end` excluded;
    `looks_back` says that it asks for what was so before something changed.
    """

    start: date | None = None
    end: date | None = None
    looks_back: bool = False

    def days_away(self, moment: datetime) -> float:
        """Return the days between a moment and the period, 0 within it."""
        day = moment.astimezone(UTC).date()
        if self.end and day >= self.end:
            return float((day - self.end).days + 1)
        return float((self.start - day).days) if self.start and day < self.start else 0.0

    def knows(self, moment: datetime) -> bool:
        """Return whether the period was not yet over at a moment."""
        return self.end is None or moment.astimezone(UTC).date() < self.end

    def month_terms(self) -> dict[str, float]:
        """Return the date terms of the months of a period of two to four."""
        if not (self.start and self.end):
            return {}
        first, last = _number(self.start), _number(self.end - timedelta(days=1))
        months = range(first, last + 1)
        if not 1 < len(months) <= MOST_MONTHS:
            return {}
        return {f"{n // 12}-{n % 12 + 1:02}": MONTH_WEIGHT for n in months}


NOW = QuestionTime()
Period = tuple[date, date]


def question_time(question: str, today: date) -> QuestionTime:
    """Return the time that a question is about, as seen from `today`."""
    question = question[:READ_CHARACTERS]
    looks_back = bool(LOOKS_BACK.search(question))
    for word in UNTIL.finditer(question):
        near = question[word.end() : word.end() + REACH]
        if not AGO.match(question, word.start()) and (period := _earliest(near, today)):
            return QuestionTime(None, period[0], looks_back)
    period = _earliest(question, today)
    if period and period[1] <= today:
        return QuestionTime(*period, looks_back)
    return QuestionTime(looks_back=looks_back)


def _earliest(text: str, today: date) -> Period | None:
    """Return the first period of the past that a text names."""
    return min((each for each in _periods(text, today) if each[0] <= today), default=None)


def _periods(text: str, today: date) -> Iterator[Period]:
    rest = text
    for form, read in (
        (SEASON, _season),
        (QUARTER, _quarter),
        (PART, _part),
        (CALENDAR, _calendar),
        (AGO, _ago),
    ):
        for found in form.finditer(rest):
            if not SINCE.search(rest[: found.start()]) and (period := read(found, today)):
                yield period
        rest = form.sub(lambda found: " " * len(found.group()), rest)
    if not SINCE.search(_text_ahead_of_date(rest)):
        for mention in date_mentions(rest):
            if period := _period_of(mention, today):
                yield period


def _text_ahead_of_date(text: str) -> str:
    """Return the text before the first digit or capitalised word that follows a small one."""
    found = re.search(r"\d|(?<=\s)[A-ZÄÖÜ]", text)
    return text[: found.start()] if found else ""


def _season(found: re.Match[str], today: date) -> Period | None:
    month = SEASONS[found["season"].lower()]
    if found["year"]:
        return _months(int(found["year"]), month, 3)
    if not (found["last"] or found["after"]):
        return None
    this = _months(today.year, month, 3)
    return this if this[1] <= today else _months(today.year - 1, month, 3)


def _quarter(found: re.Match[str], today: date) -> Period:
    number = int(found["q"] or found["n"] or ORDINALS[found["word"].lower()])
    month = 3 * number - 2
    if found["year"]:
        return _months(int(found["year"]), month, 3)
    this = _months(today.year, month, 3)
    return this if this[0] <= today else _months(today.year - 1, month, 3)


def _part(found: re.Match[str], today: date) -> Period:
    return _months(int(found["year"]), PARTS[found["part"].lower()], 4)


def _calendar(found: re.Match[str], today: date) -> Period:
    unit = found["unit"].lower()
    if unit in ("year", "jahr"):
        return _months(today.year - 1, 1, 12)
    if unit in ("month", "monat"):
        number = _number(today) - 1
        return _months(number // 12, number % 12 + 1, 1)
    monday = today - timedelta(days=today.weekday() + 7)
    return monday, monday + timedelta(days=7)


def _ago(found: re.Match[str], today: date) -> Period | None:
    count, unit = found["count"] or found["zahl"], found["unit"] or found["einheit"]
    days = DAYS_OF[unit.lower()]
    number = COUNTS.get(count.lower()) or int(count)
    try:
        then = today - timedelta(days=days * number)
    except OverflowError:
        return None
    return then - timedelta(days=days // 2), then + timedelta(days=days // 2 + 1)


def _period_of(mention: DateMention, today: date) -> Period | None:
    year, month, day = mention
    if month is None:
        return _months(year, 1, 12) if year else None
    if year is None:
        year = today.year if _months(today.year, month, 1)[0] <= today else today.year - 1
    if day is None:
        return _months(year, month, 1)
    if day > monthrange(year, month)[1]:
        return None
    return date(year, month, day), date(year, month, day) + timedelta(days=1)


def _months(year: int, month: int, count: int) -> Period:
    after = year * MONTHS_OF_YEAR + month - 1 + count
    return date(year, month, 1), date(after // MONTHS_OF_YEAR, after % MONTHS_OF_YEAR + 1, 1)


def _number(day: date) -> int:
    """Return a count of the months up to a day's."""
    return day.year * MONTHS_OF_YEAR + day.month - 1
