"""Date terms, by which memories are found: those of a memory's dates, and those of a question.

A term is `2025-03-08`, `2025-03`, `2025`, or, for any year, `*-03-08` and `*-03`. A memory has the
terms of each date that it names, at every length; a question asks for the longest. So "in March"
finds 8 March 2025, and "8 March 2024" does not.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

FULL_NAMES = (
    ("january", "januar", "jänner", "enero", "janvier", "gennaio", "janeiro", "januari"),
    ("february", "februar", "febrero", "février", "febbraio", "fevereiro", "februari"),
    ("march", "märz", "marzo", "mars", "março", "maart"),
    ("april", "abril", "avril", "aprile"),
    ("may", "mai", "mayo", "maggio", "maio", "mei"),
    ("june", "juni", "junio", "juin", "giugno", "junho"),
    ("july", "juli", "julio", "juillet", "luglio", "julho"),
    ("august", "agosto", "août", "augustus"),
    ("september", "septiembre", "septembre", "settembre", "setembro"),
    ("october", "oktober", "octubre", "octobre", "ottobre", "outubro"),
    ("november", "noviembre", "novembre", "novembro"),
    ("december", "dezember", "diciembre", "décembre", "dicembre", "dezembro"),
)
"""By month, in English, German, Spanish, French, Italian, Portuguese and Dutch."""

SHORT_NAMES = {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9,
    "oct": 10, "okt": 10, "nov": 11, "dec": 12, "dez": 12,
}  # fmt: skip
MONTHS = {name: n for n, names in enumerate(FULL_NAMES, 1) for name in names} | SHORT_NAMES
AMBIGUOUS_MONTHS = frozenset(
    ("may", "march", "mars", "mai", "mei", "avril", "juli", "juni", "august")
)
"""Months that are also words when alone and in lower case, or that name a person."""

WEEKDAYS = {
    name: n
    for n, name in enumerate(
        ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    )
}

MONTH_NAME = "|".join(sorted(map(re.escape, MONTHS), key=len, reverse=True))
YEAR = r"(?:19|20)\d\d"
DAY = r"[0-3]?\d"
NUMERIC = re.compile(
    rf"(?<![\d./-])(?:(?P<iy>{YEAR})(?P<isep>[-/.])(?P<im>[01]?\d)(?:(?P=isep)(?P<id>{DAY}))?"
    rf"|(?P<ed>{DAY})(?P<sep>[./])(?P<em>[01]?\d)(?P=sep)(?P<ey>{YEAR}))(?!\d|[./-]\d)"
)
EAST_ASIAN = re.compile(
    rf"(?:(?P<y>{YEAR})\s*[年년]\s*)?(?P<m>[01]?\d)\s*[月월](?:\s*(?P<d>{DAY})\s*[日일号])?"
)
DAY_FIRST = re.compile(
    rf"(?<![\w.:])(?P<d>{DAY})(?:st|nd|rd|th|er|\.|º)?\s+(?:of\s+|de\s+|di\s+)?(?P<m>{MONTH_NAME})\b\.?"
    rf"(?:,?\s+(?:de\s+|del\s+)?(?P<y>{YEAR})\b)?",
    re.IGNORECASE,
)
MONTH_FIRST = re.compile(
    rf"\b(?P<m>{MONTH_NAME})\b\.?(?:\s+(?P<d>{DAY})(?:st|nd|rd|th)?(?![\w:]))?"
    rf"(?:,?\s+(?:of\s+|de\s+|del\s+)?(?P<y>{YEAR})\b)?",
    re.IGNORECASE,
)
BARE_YEAR = re.compile(rf"(?<![\w./-]){YEAR}(?![\w-]|[./]\d)")
BEFORE_A_MONTH = re.compile(
    r"\b(?:in|of|since|until|till|by|during|last|this|next|early|late|mid)\s$", re.I
)


class DateMention(NamedTuple):
    """A date as it was written; None for what was left out."""

    year: int | None
    month: int | None = None
    day: int | None = None


def date_mentions(text: str) -> Iterator[DateMention]:
    """Yield the dates that `text` names, each once, in no particular order.

    `8.3.2025` and `8/3/2025` are read day first, or month first if only that is a date.
    """
    rest = text
    for form, read in (
        (NUMERIC, _numeric),
        (EAST_ASIAN, _named),
        (DAY_FIRST, _named),
        (MONTH_FIRST, _named),
    ):
        named = list(form.finditer(rest))
        for found in named:
            if form is MONTH_FIRST and not _is_a_month(found, rest):
                continue
            if (mention := read(found)) is not None:
                yield mention
        rest = form.sub(_blank, rest) if named and form is not MONTH_FIRST else rest
    for found in BARE_YEAR.finditer(MONTH_FIRST.sub(_blank_dated, rest)):
        yield DateMention(int(found.group()))


def _blank(found: re.Match[str]) -> str:
    return " " * len(found.group())


def _blank_dated(found: re.Match[str]) -> str:
    return _blank(found) if found["y"] else found.group()


def _is_a_month(found: re.Match[str], text: str) -> bool:
    name = found["m"]
    if found["d"] or found["y"]:
        return True
    if name.lower() in SHORT_NAMES:
        return False
    if name.lower() not in AMBIGUOUS_MONTHS:
        return True
    return name[0].isupper() and bool(BEFORE_A_MONTH.search(text[: found.start()]))


def _named(found: re.Match[str]) -> DateMention | None:
    month = found["m"].lower()
    number = MONTHS[month] if month in MONTHS else int(month)
    return _mention(found["y"], number, found["d"])


def _numeric(found: re.Match[str]) -> DateMention | None:
    if found["iy"]:
        return _mention(found["iy"], int(found["im"]), found["id"])
    day, month = int(found["ed"]), int(found["em"])
    if month > 12:  # noqa: PLR2004 - not a month, so month first
        day, month = month, day
    return _mention(found["ey"], month, str(day))


def _mention(year: str | None, month: int, day: str | None) -> DateMention | None:
    number = int(day) if day else None
    if not 1 <= month <= 12 or (number is not None and not 1 <= number <= 31):  # noqa: PLR2004
        return None
    return DateMention(int(year) if year else None, month, number)


NOON = time(12)
READ_CHARACTERS = 20_000
"""Characters of a text that are searched for dates."""

MOST_TERMS = 200
DAY_WEIGHT, MONTH_WEIGHT, YEAR_WEIGHT = 1.0, 0.5, 0.25
"""What a match is worth: there are many memories of one month, and more of one year."""

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
    rf"\b(?P<which>first|second|third|fourth|last)\sweek\s(?:of|in)\s(?P<m>{MONTH_NAME})"
    rf"(?:,?\s(?P<y>{YEAR}))?\b",
    re.IGNORECASE,
)
WEEKS = {"first": 1, "second": 8, "third": 15, "fourth": 22, "last": 25}
SIDES = {"last": -1, "this past": -1, "this": 0, "next": 1}


def names_a_day(content: str) -> bool:
    """Return whether a text names a day, by its date or relative to when it was said."""
    head = content[:READ_CHARACTERS]
    return any(each.day for each in date_mentions(head)) or bool(RELATIVE.search(head))


def stated_moment(context: str | None) -> datetime | None:
    """Return noon UTC of the first complete date of a context: when its memory was said."""
    days = map(_complete_date, date_mentions((context or "")[:READ_CHARACTERS]))
    day = next(filter(None, days), None)
    return datetime.combine(day, NOON, UTC) if day else None


def date_terms(content: str, context: str | None, created: date) -> list[str]:
    """Return the terms of the dates that a memory names, and of its creation.

    A day without a year is the one nearest to the first complete date of `context`, or to
    `created`; relative days such as "yesterday" are counted from the same date.
    """
    circumstances = list(date_mentions(context or ""))
    spoken = next(filter(None, map(_complete_date, circumstances)), created)
    named = {created, spoken}
    terms: set[str] = set()
    for mention in (*circumstances, *date_mentions(content[:READ_CHARACTERS])):
        if day := _complete_date(_with_nearest_year(mention, spoken)):
            named.add(day)
        else:
            terms.update(_terms(mention))
    named.update(_relative_days(content[:READ_CHARACTERS], spoken))
    for day in named:
        terms.update(_terms(DateMention(day.year, day.month, day.day)))
    return sorted(terms)[:MOST_TERMS]


def date_terms_of_query(question: str, today: date) -> dict[str, float]:
    """Return the date terms of a question, each with what a match is worth, 0..1."""
    terms: dict[str, float] = {}
    question = question[:READ_CHARACTERS]
    for found in WEEK_OF.finditer(question):
        terms.update(_week_of(found))
    rest = WEEK_OF.sub(" ", question)
    for mention in date_mentions(rest):
        term, weight = _longest_term(mention)
        terms[term] = weight
    for day in _relative_days(rest, today):
        terms[day.isoformat()] = DAY_WEIGHT
    for found in SPAN.finditer(rest):
        terms.update(_calendar_span(found, today))
    return terms


def _week_of(found: re.Match[str]) -> Mapping[str, float]:
    month = next(date_mentions(f"1 {found['m']}")).month or 1
    first = WEEKS[found["which"].lower()]
    year = found["y"] or "*"
    return {f"{year}-{month:02}-{day:02}": DAY_WEIGHT for day in range(first, first + 7)}


def _calendar_span(found: re.Match[str], today: date) -> Mapping[str, float]:
    side, unit = SIDES[found["side"].lower()], found["unit"].lower()
    if unit == "year":
        return {str(today.year + side): YEAR_WEIGHT}
    if unit == "month":
        months = today.year * 12 + today.month - 1 + side
        return {f"{months // 12}-{months % 12 + 1:02}": MONTH_WEIGHT}
    monday = today - timedelta(days=today.weekday() - 7 * side)
    return {(monday + timedelta(days=n)).isoformat(): DAY_WEIGHT for n in range(7)}


def _relative_days(text: str, spoken: date) -> Iterator[date]:
    """Yield the days that are given relative to `spoken`."""
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


def _with_nearest_year(mention: DateMention, spoken: date) -> DateMention:
    """Return a day that lacks a year with the one that brings it nearest to `spoken`."""
    if mention.year is not None or not mention.day:
        return mention
    dates = (_complete_date(mention._replace(year=spoken.year + n)) for n in (-1, 0, 1))
    nearest = min(filter(None, dates), key=lambda day: abs((day - spoken).days), default=None)
    return mention._replace(year=nearest.year) if nearest else mention


def _complete_date(mention: DateMention) -> date | None:
    if mention.year is None or mention.month is None or mention.day is None:
        return None
    try:
        return date(mention.year, mention.month, mention.day)
    except ValueError:
        return None


def _terms(mention: DateMention) -> Iterator[str]:
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


def _longest_term(mention: DateMention) -> tuple[str, float]:
    term = max(_terms(mention), key=lambda each: (len(each.replace("*", "")), each[0] != "*"))
    if mention.day is not None:
        return term, DAY_WEIGHT
    return term, MONTH_WEIGHT if mention.month is not None else YEAR_WEIGHT
