"""Parses periods given without a full date: "last spring", "vor drei Wochen", "Q2 2025".

Supports English and German; seasons also in Spanish and French. See `docs/decisions/0012`.
"""

import re
from collections.abc import Callable, Collection, Iterator
from datetime import date, timedelta
from typing import NamedTuple

from reasonloom.nodes.memory.calendar.mentions import FULL_NAMES, MONTH_NAME, MONTHS, YEAR

MONTHS_OF_YEAR = 12
MONTHS_IN = {"month": 1, "quarter": 3, "year": 12}

NEARBY = {
    "the day before yesterday": -2, "yesterday": -1, "last night": -1, "today": 0, "tonight": 0,
    "this morning": 0, "tomorrow": 1, "the day after tomorrow": 2,
    "vorgestern": -2, "gestern": -1, "heute": 0, "übermorgen": 2,
}  # fmt: skip
UNITS = {
    "day": "day", "tag": "day", "week": "week", "woche": "week", "fortnight": "fortnight",
    "month": "month", "monat": "month", "quarter": "quarter", "quartal": "quarter",
    "year": "year", "jahr": "year", "weekend": "weekend", "wochenende": "weekend",
}  # fmt: skip
COUNTS = {
    **{word: n for n, word in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 1)},
    **{word: n for n, word in enumerate(
        ("ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn"), 1)},
    "a": 1, "einem": 1, "einer": 1, "a couple of": 2, "a few": 3, "ein paar": 3,
}  # fmt: skip
SIDES = {
    "last": -1, "past": -1, "previous": -1, "this past": -1, "this": 0, "current": 0, "next": 1,
    "coming": 1, "letzte": -1, "vergangene": -1, "vorige": -1, "diese": 0, "nächste": 1,
    "kommende": 1, "vorletzte": -2,
}  # fmt: skip
WEEKDAYS = {
    name: n
    for n, names in enumerate(
        (("monday", "montag"), ("tuesday", "dienstag"), ("wednesday", "mittwoch"),
         ("thursday", "donnerstag"), ("friday", "freitag"), ("saturday", "samstag"),
         ("sunday", "sonntag"))
    )
    for name in names
}  # fmt: skip
SEASONS = {
    "spring": 3, "frühling": 3, "frühjahr": 3, "primavera": 3, "printemps": 3,
    "summer": 6, "sommer": 6, "verano": 6, "été": 6,
    "autumn": 9, "fall": 9, "herbst": 9, "otoño": 9, "automne": 9,
    "winter": 12, "invierno": 12, "hiver": 12,
}  # fmt: skip
"""First month of each season, in the northern hemisphere."""

PARTS = {"early": 1, "anfang": 1, "mid": 5, "mitte": 5, "late": 9, "ende": 9, "end of": 9}
"""First month of each part of a year; a part has four months."""

ORDINALS = {"first": 1, "erste": 1, "second": 2, "zweite": 2, "third": 3, "dritte": 3,
            "fourth": 4, "vierte": 4}  # fmt: skip
WEEKS = {"first": 1, "second": 8, "third": 15, "fourth": 22, "last": 25}


def _any_of(words: Collection[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


COUNT = rf"\d{{1,3}}|{_any_of(COUNTS)}"
UNIT = _any_of(UNITS)
SIDE = rf"(?P<side>{_any_of(SIDES)})[nmrs]?"
FULL_MONTH = _any_of([name for names in FULL_NAMES for name in names])
OF_YEAR = (
    rf"(?:\s+(?:of\s+|des\s+|de\s+|del\s+)?(?:(?P<year>{YEAR})"
    rf"|(?P<year_side>{_any_of(SIDES)})[nmrs]?\s+(?:year|jahr(?:es)?)))?\b"
)

NEAR = re.compile(
    rf"\b(?P<near>{_any_of(NEARBY)})\b"
    r"|(?-i:(?:^|(?<=[.!?:]\s))Morgen\b|(?<!\bheute )(?<!\bgestern )\bmorgen\b)",
    re.IGNORECASE,
)
BEFORE_LAST = re.compile(r"\bthe\s(?P<unit>week|month|year)\sbefore\slast\b", re.IGNORECASE)
AGO = re.compile(
    rf"\b(?:(?P<count>{COUNT})\s+(?P<unit>{UNIT})s?\s+ago"
    rf"|vor\s+(?P<zahl>{COUNT})\s+(?P<einheit>{UNIT})(?:en|e|n)?)\b",
    re.IGNORECASE,
)
AHEAD = re.compile(rf"\bin\s+(?P<count>{COUNT})\s+(?P<unit>{UNIT})(?:en|e|n|s)?\b", re.IGNORECASE)
WEEK_OF = re.compile(
    rf"\b(?P<which>{_any_of(WEEKS)})\sweek\s(?:of|in)\s(?P<m>{MONTH_NAME})\b,?(?:\s(?P<year>{YEAR}))?\b",
    re.IGNORECASE,
)
SEASON = re.compile(
    rf"(?:\b{SIDE}\s+)?\b(?P<season>{_any_of(SEASONS)})s?\b"
    rf"(?:\s+(?P<after>pasad[oa]|derni(?:er|ère))|{OF_YEAR})",
    re.IGNORECASE,
)
QUARTER = re.compile(
    rf"\b(?:Q(?P<q>[1-4])|(?P<n>[1-4])\.\s*Quartal"
    rf"|(?P<word>{_any_of(ORDINALS)})[srn]?\s+(?:quarter|Quartal)){OF_YEAR}",
    re.IGNORECASE,
)
PART = re.compile(rf"\b(?P<part>{_any_of(PARTS)})[\s-]+(?P<year>{YEAR})\b", re.IGNORECASE)
SIDED = re.compile(
    rf"\b{SIDE}\s+(?:(?P<unit>(?!day|tag){UNIT})(?:(?<=jahr)es|(?<=monat)s|(?<=quartal)s)?"
    rf"|(?P<weekday>{_any_of(WEEKDAYS)})|(?P<month>(?-i:(?=[A-Z]))(?:{FULL_MONTH})))\b"
    r"(?!\s(?:of|des|der|vom|von)\b)",
    re.IGNORECASE,
)
WEEKDAY = re.compile(rf"\b(?:on|am)\s+(?P<weekday>{_any_of(WEEKDAYS)})\b", re.IGNORECASE)
PAST_TENSE = re.compile(
    r"\b(?:did|was|were|had|went|got|took|made|met|came|\w{2,}ed"
    r"|war|waren|hatten?|wurden?|kam(?:en)?|ging(?:en)?|ge\w{3,}(?:t|en))\b",
    re.IGNORECASE,
)
SENTENCE_END = re.compile(r"[.!?;]\s")

Period = tuple[date, date]
"""First day and the day after the last."""


class NamedPeriod(NamedTuple):
    """A period and its span in the text."""

    start: int
    end: int
    period: Period


def relative_periods(text: str, today: date) -> Iterator[NamedPeriod]:
    """Yield the periods in a text, relative to `today`, in no particular order."""
    rest = text
    for form, read in READERS:
        for found in form.finditer(rest):
            try:
                period = read(found, today)
            except (OverflowError, ValueError):
                continue  # outside the range of `date`
            if period:
                yield NamedPeriod(*found.span(), period)
        rest = form.sub(lambda found: " " * len(found.group()), rest)


def without_periods(text: str, found: Collection[NamedPeriod]) -> str:
    """Return a text with its periods replaced by spaces."""
    for each in found:
        text = text[: each.start] + " " * (each.end - each.start) + text[each.end :]
    return text


def unit_period(unit: str, count: int, today: date) -> Period:
    """Return the day, week, month, ... that is `count` units after the one containing `today`."""
    if unit in MONTHS_IN:
        months = MONTHS_IN[unit]
        return month_span((month_number(today) // months + count) * months, months)
    if unit == "day":
        return one_day(today + timedelta(days=count))
    weeks = 2 * count if unit == "fortnight" else count
    monday = today + timedelta(days=7 * weeks - today.weekday())
    return monday + timedelta(days=5 if unit == "weekend" else 0), monday + timedelta(days=7)


def month_number(day: date) -> int:
    """Return a consecutive number of the month that contains `day`."""
    return day.year * MONTHS_OF_YEAR + day.month - 1


def month_span(number: int, count: int) -> Period:
    """Return the period of `count` months that starts with the month `number`."""
    return _first_day(number), _first_day(number + count)


def _first_day(number: int) -> date:
    return date(number // MONTHS_OF_YEAR, number % MONTHS_OF_YEAR + 1, 1)


def months_of(year: int, month: int, count: int) -> Period:
    """Return the period of `count` months that starts with a month of a year."""
    return month_span(year * MONTHS_OF_YEAR + month - 1, count)


def one_day(day: date) -> Period:
    """Return the period of a single day."""
    return day, day + timedelta(days=1)


def _near(found: re.Match[str], today: date) -> Period:
    days = NEARBY[found["near"].lower()] if found["near"] else 1
    return unit_period("day", days, today)


def _before_last(found: re.Match[str], today: date) -> Period:
    return unit_period(found["unit"].lower(), -2, today)


def _ago(found: re.Match[str], today: date) -> Period:
    unit = UNITS[(found["unit"] or found["einheit"]).lower()]
    return unit_period(unit, -count_of(found["count"] or found["zahl"]), today)


def _ahead(found: re.Match[str], today: date) -> Period | None:
    """Return the period; None in the past tense, where "in two days" is a duration."""
    if PAST_TENSE.search(_sentence(found)):
        return None
    return unit_period(UNITS[found["unit"].lower()], count_of(found["count"]), today)


def count_of(written: str) -> int:
    """Return the number that a word or digits give."""
    return COUNTS.get(written.lower()) or int(written)


def _week_of(found: re.Match[str], today: date) -> Period:
    month = MONTHS[found["m"].lower()]
    year = int(found["year"]) if found["year"] else year_begun(month, today)
    first = date(year, month, WEEKS[found["which"].lower()])
    return first, first + timedelta(days=7)


def _season(found: re.Match[str], today: date) -> Period | None:
    month = SEASONS[found["season"].lower()]
    if year := _year(found, today):
        return months_of(year, month, 3)
    side = SIDES[found["side"].lower()] if found["side"] else -1 if found["after"] else None
    if side is None:
        return None
    years = range(today.year - 2, today.year + 2)
    seasons = [months_of(year, month, 3) for year in years]
    if side < 0:
        return [each for each in seasons if each[1] <= today][side]
    if side > 0:
        return next(each for each in seasons if each[0] > today)
    return months_of(today.year, month, 3)


def _quarter(found: re.Match[str], today: date) -> Period:
    number = int(found["q"] or found["n"] or ORDINALS[found["word"].lower()])
    month = 3 * number - 2
    return months_of(_year(found, today) or year_begun(month, today), month, 3)


def _part(found: re.Match[str], today: date) -> Period:
    return months_of(int(found["year"]), PARTS[found["part"].lower()], 4)


def _year(found: re.Match[str], today: date) -> int | None:
    """Return the year of a period, given in full or relative to the current one."""
    if found["year"]:
        return int(found["year"])
    return today.year + SIDES[found["year_side"].lower()] if found["year_side"] else None


def year_begun(month: int, today: date) -> int:
    """Return the latest year in which a month has begun."""
    return today.year if date(today.year, month, 1) <= today else today.year - 1


def _sided(found: re.Match[str], today: date) -> Period:
    side = SIDES[found["side"].lower()]
    if found["unit"]:
        return unit_period(UNITS[found["unit"].lower()], side, today)
    if found["weekday"]:
        return one_day(today + timedelta(days=_to_weekday(side, found["weekday"], today)))
    month = MONTHS[found["month"].lower()]
    this = date(today.year, month, 1)
    passed = this < today.replace(day=1)
    return months_of(
        today.year + side + (side < 0 and passed) - (side > 0 and not passed), month, 1
    )


def _to_weekday(side: int, weekday: str, today: date) -> int:
    ahead = (WEEKDAYS[weekday.lower()] - today.weekday()) % 7
    if side < 0:
        return ahead + 7 * side
    return ahead or 7 if side > 0 else ahead


def _weekday(found: re.Match[str], today: date) -> Period | None:
    """Return the most recent such weekday if the sentence is in the past tense."""
    if not PAST_TENSE.search(_sentence(found)):
        return None
    return one_day(today + timedelta(days=_to_weekday(-1, found["weekday"], today)))


def _sentence(found: re.Match[str]) -> str:
    """Return the sentence that contains a match."""
    before = SENTENCE_END.split(found.string[: found.start()])[-1]
    return before + SENTENCE_END.split(found.string[found.start() :])[0]


READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], Period | None]], ...] = (
    (NEAR, _near),
    (BEFORE_LAST, _before_last),
    (AGO, _ago),
    (AHEAD, _ahead),
    (WEEK_OF, _week_of),
    (SEASON, _season),
    (QUARTER, _quarter),
    (PART, _part),
    (SIDED, _sided),
    (WEEKDAY, _weekday),
)
"""Patterns with their parsers, in order; text matched by one is hidden from the later ones."""
