"""Dates as things to be found by: the terms of a memory's dates, and those a question asks for.

A term is `2025-03-08`, `2025-03`, `2025`, or, for any year, `*-03-08` and `*-03`. A memory
carries the terms of each date that it names, at every length; a question asks for the longest
that it says. So "in March" finds 8 March 2025, and "8 March 2024" does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, timedelta

from reasonloom.nodes.memory.calendar_words import NAME, WEEKDAYS, YEAR, Mention, mentions

READ_CHARACTERS = 20_000
"""Dates are looked for in this much of a text."""

MOST_TERMS = 200
DAY_WEIGHT, MONTH_WEIGHT, YEAR_WEIGHT = 1.0, 0.5, 0.25
"""What a hit is worth: there are many memories of one month, and more of one year."""

NEARBY = {"yesterday": -1, "today": 0, "tonight": 0, "this morning": 0, "tomorrow": 1}
NUMBERS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
DAYS_OF = {"day": 1, "week": 7}
RELATIVE = re.compile(
    rf"\b(?:(?P<near>{'|'.join(NEARBY)})"
    r"|(?P<count>\d{1,3}|a|one|two|three|four|five|six)\s(?P<unit>day|week)s?\sago"
    rf"|(?P<side>last|this past|next|this)\s(?P<weekday>{'|'.join(WEEKDAYS)}))\b",
    re.IGNORECASE,
)
SPAN = re.compile(r"\b(?P<side>last|this|next)\s(?P<unit>week|month|year)\b", re.IGNORECASE)
WEEK_OF = re.compile(
    rf"\b(?P<which>first|second|third|fourth|last)\sweek\s(?:of|in)\s(?P<m>{NAME})"
    rf"(?:,?\s(?P<y>{YEAR}))?\b",
    re.IGNORECASE,
)
WEEKS = {"first": 1, "second": 8, "third": 15, "fourth": 22, "last": 25}
SIDES = {"last": -1, "this past": -1, "this": 0, "next": 1}


def date_terms(content: str, context: str | None, created: date) -> list[str]:
    """Return the terms of the dates that a memory names, and of the day it was made.

    A day without a year is taken to be the one nearest to the first whole date of `context`, or
    to `created`; "yesterday" and its kin are counted from there.
    """
    circumstances = list(mentions(context or ""))
    spoken = next(filter(None, map(_whole, circumstances)), created)
    named = {created, spoken}
    terms: set[str] = set()
    for mention in (*circumstances, *mentions(content[:READ_CHARACTERS])):
        if day := _whole(_dated(mention, spoken)):
            named.add(day)
        else:
            terms.update(_terms(mention))
    named.update(_counted_from(content[:READ_CHARACTERS], spoken))
    for day in named:
        terms.update(_terms(Mention(day.year, day.month, day.day)))
    return sorted(terms)[:MOST_TERMS]


def dates_asked(question: str, today: date) -> dict[str, float]:
    """Return the terms that a question asks for, each with what a hit is worth, 0..1."""
    asked: dict[str, float] = {}
    for found in WEEK_OF.finditer(question):
        asked.update(_week_of(found))
    rest = WEEK_OF.sub(" ", question)
    for mention in mentions(rest):
        term, weight = _longest(mention)
        asked[term] = weight
    for day in _counted_from(rest, today):
        asked[day.isoformat()] = DAY_WEIGHT
    for found in SPAN.finditer(rest):
        asked.update(_span(found, today))
    return asked


def _week_of(found: re.Match[str]) -> Mapping[str, float]:
    month = next(mentions(f"1 {found['m']}")).month or 1
    first = WEEKS[found["which"].lower()]
    year = found["y"] or "*"
    return {f"{year}-{month:02}-{day:02}": DAY_WEIGHT for day in range(first, first + 7)}


def _span(found: re.Match[str], today: date) -> Mapping[str, float]:
    side, unit = SIDES[found["side"].lower()], found["unit"].lower()
    if unit == "year":
        return {str(today.year + side): YEAR_WEIGHT}
    if unit == "month":
        months = today.year * 12 + today.month - 1 + side
        return {f"{months // 12}-{months % 12 + 1:02}": MONTH_WEIGHT}
    monday = today - timedelta(days=today.weekday() - 7 * side)
    return {(monday + timedelta(days=n)).isoformat(): DAY_WEIGHT for n in range(7)}


def _counted_from(text: str, spoken: date) -> Iterator[date]:
    """Yield the days that are named by their distance from `spoken`."""
    for found in RELATIVE.finditer(text):
        if near := found["near"]:
            days = NEARBY[near.lower()]
        elif unit := found["unit"]:
            count = found["count"].lower()
            days = -(NUMBERS.get(count) or int(count)) * DAYS_OF[unit.lower()]
        else:
            days = _to_weekday(found["side"].lower(), found["weekday"].lower(), spoken)
        try:
            yield spoken + timedelta(days=days)
        except OverflowError:
            continue


def _to_weekday(side: str, weekday: str, spoken: date) -> int:
    ahead = (WEEKDAYS[weekday] - spoken.weekday()) % 7
    if SIDES[side] < 0:
        return ahead - 7
    return ahead or 7 if SIDES[side] > 0 else ahead


def _dated(mention: Mention, spoken: date) -> Mention:
    """Return a day with the year that brings it nearest to `spoken`, where it has none."""
    if mention.year is not None or not mention.day:
        return mention
    around = (_whole(mention._replace(year=spoken.year + n)) for n in (-1, 0, 1))
    days = [day for day in around if day]
    if not days:
        return mention
    return mention._replace(year=min(days, key=lambda day: abs((day - spoken).days)).year)


def _whole(mention: Mention) -> date | None:
    if mention.year is None or mention.month is None or mention.day is None:
        return None
    try:
        return date(mention.year, mention.month, mention.day)
    except ValueError:
        return None


def _terms(mention: Mention) -> Iterator[str]:
    year, month, day = mention
    if year is not None:
        yield str(year)
    if month is not None:
        yield f"*-{month:02}"
        if year is not None:
            yield f"{year}-{month:02}"
    if month is not None and day is not None:
        yield f"*-{month:02}-{day:02}"
        if year is not None:
            yield f"{year}-{month:02}-{day:02}"


def _longest(mention: Mention) -> tuple[str, float]:
    term = max(_terms(mention), key=lambda each: (len(each.replace("*", "")), each[0] != "*"))
    if mention.day is not None:
        return term, DAY_WEIGHT
    return term, MONTH_WEIGHT if mention.month is not None else YEAR_WEIGHT
