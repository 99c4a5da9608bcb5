"""Check statements about dates and times in prose: weekdays, periods, leap years."""

import re
from calendar import isleap, monthrange
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import partial

from reasonloom.nodes.memory.calendar.mentions import (
    DAY_FIRST,
    FULL_NAMES,
    MONTH_FIRST,
    NUMERIC,
    date_mentions,
)
from reasonloom.nodes.memory.calendar.relative import COUNTS

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = tuple(names[0].capitalize() for names in FULL_NAMES)
WEEK, HALF_DAY, DAY = 7, 12 * 60, 24 * 60
MOST_COUNT = 100_000
IN_DAYS = {"day": 1, "night": 1, "week": WEEK, "fortnight": 2 * WEEK}
IN_MONTHS = {"month": 1, "year": 12}
IN_MINUTES = {"minute": 1, "min": 1, "hour": 60, "hr": 60, "h": 60}

_OPEN, _CLOSE = "\ue000", "\ue001"
_DATE, _START, _END = (rf"{_OPEN}(?P<{name}>\d+){_CLOSE}" for name in ("number", "start", "end"))
_WEEKDAY = r"(?P<name>(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs?)?|Fri|Sat(?:ur)?|Sun)(?:day)?)\b\.?"
_COUNT = rf"(?P<count>\d{{1,6}}|{'|'.join(each for each in COUNTS if each.isascii())})"
_UNIT = rf"(?P<unit>{'|'.join((*IN_DAYS, *IN_MONTHS))})s?"
_SPAN = rf"{_COUNT}\s{_UNIT}"
_IS = (
    r"\s?(?:,?\s?(?:which\s)?(?:is|are|was|were|would\sbe|will\sbe|falls\son|fell\son|lands\son|"
    r"comes\sto|gives|takes|lasts|makes|there\sare|there\swere|lie|it\sis)\s|=)\s?"
    r"(?:exactly\s|only\s|just\s|on\s)?"
)
_TIME = r"([01]?\d|2[0-3]):([0-5]\d)(?![:\d])(\s?[ap]\.?m\b\.?)?"
_LENGTH = (
    rf"(\d{{1,4}}(?:\.\d+)?)\s?({'|'.join(IN_MINUTES)})s?\b"
    r"(?:\s(?:and\s)?([0-5]?\d)\s?min(?:ute)?s?\b)?"
)
_ZONED = re.compile(r"\b(?:local|zones?|UTC|GMT|C?EST|CET|PST|[EP]DT|flight)\b")

Verdict = tuple[bool | None, str]


def check_dates(sentence: str) -> Iterator[Verdict]:
    """Yield, for each statement, whether it holds (None if unchecked) and the correct statement."""
    marked, known = _marked(sentence)
    for form, read in _DATED:
        for found in form.finditer(marked):
            yield read(known, **found.groupdict())
    if not _ZONED.search(sentence):
        for form, read in _TIMED:
            for found in form.finditer(sentence):
                yield read(found)


def _marked(sentence: str) -> tuple[str, list[date]]:
    """Replace complete dates by numbered marks; return the sentence and the dates by number."""
    known: list[date] = []

    def mark(found: re.Match[str]) -> str:
        mention = next(date_mentions(found.group()), None)
        if mention is None or None in mention or "/" in found.group():
            return found.group()
        try:
            known.append(date(mention.year or 0, mention.month or 0, mention.day or 0))
        except ValueError:
            return found.group()
        space = " " if found.group().endswith(" ") else ""
        return f"{_OPEN}{len(known) - 1}{_CLOSE}{space}"

    text = sentence.replace(_OPEN, " ").replace(_CLOSE, " ")
    for form in (NUMERIC, DAY_FIRST, MONTH_FIRST):
        text = form.sub(mark, text)
    return text, known


def _weekday(known: list[date], number: str, name: str) -> Verdict:
    day = known[int(number)]
    return DAYS[day.weekday()].startswith(name[:3]), f"{day} is a {DAYS[day.weekday()]}"


def _count(written: str) -> int:
    return COUNTS.get(written.lower()) or int(written)


def _moved(day: date, count: int, unit: str, sign: int) -> tuple[date | None, bool]:
    """Return a day shifted by a period (None if out of range), and whether the result is certain.

    A shorter target month makes it uncertain.
    """
    if count > MOST_COUNT:
        return None, False
    try:
        if unit in IN_DAYS:
            return day + timedelta(days=sign * count * IN_DAYS[unit]), True
        months = day.year * 12 + day.month - 1 + sign * count * IN_MONTHS[unit]
        year, month = divmod(months, 12)
        last = monthrange(year, month + 1)[1]
        return date(year, month + 1, min(day.day, last)), day.day <= last
    except (OverflowError, ValueError):
        return None, False


def _shift(known: list[date], start: str, count: str, unit: str, side: str, end: str) -> Verdict:
    sign = -1 if side.lower() in ("before", "prior to", "minus", "-") else 1
    first = known[int(start)]
    moved, sure = _moved(first, _count(count), unit.lower(), sign)
    if moved is None:
        return None, ""
    holds = moved == known[int(end)]
    words = f"{count} {unit}s {'before' if sign < 0 else 'after'} {first} is {moved}"
    return (holds if holds or sure else None), words


def _between(known: list[date], start: str, end: str, count: str, unit: str) -> Verdict:
    """Check the length of a period, whether or not its first and last days are counted."""
    first, last = sorted((known[int(start)], known[int(end)]))
    days, unit = (last - first).days, unit.lower()
    words = f"from {first} to {last} there are {days} days"
    if unit in IN_DAYS:
        stated = _count(count) * IN_DAYS[unit]
        return (
            True
            if abs(stated - days) <= 1
            else None
            if abs(stated - days) < IN_DAYS[unit]
            else False
        ), words
    moved, _ = _moved(first, _count(count), unit, 1)
    near = moved is not None and abs((moved - last).days) <= IN_MONTHS[unit] * 31
    return (None if near else False), words


def _leap(known: list[date], year: str) -> Verdict:
    leap = isleap(int(year))
    return leap, f"{year} is {'a' if leap else 'no'} leap year"


def _month_length(known: list[date], name: str, year: str, count: str) -> Verdict:
    month, number = MONTHS.index(name) + 1, int(year)
    days = monthrange(number, month)[1]
    return days == int(count), f"{name} {year} has {days} days"


def _minutes(hour: str, minute: str, half: str | None) -> int:
    hours = int(hour) % 12 if half else int(hour)
    late = bool(half and half.strip().lower().startswith("p"))
    return (hours + 12 * late) * 60 + int(minute)


def _length(count: str, unit: str, more: str | None) -> float:
    return float(count) * IN_MINUTES[unit.lower()] + int(more or 0)


def _clock(minutes: float) -> str:
    whole = round(minutes) % DAY
    return f"{whole // 60:02}:{whole % 60:02}"


def _time_between(found: re.Match[str]) -> Verdict:
    start, end = _minutes(*found.group(1, 2, 3)), _minutes(*found.group(4, 5, 6))
    stated, taken = _length(*found.group(7, 8, 9)), (end - start) % DAY
    words = f"from {_clock(start)} to {_clock(end)} it is {taken // 60} h {taken % 60} min"
    return abs(stated - taken) % HALF_DAY < 1, words


def _time_moved(found: re.Match[str], start: int, length: int) -> Verdict:
    """Check `45 minutes after 9:30 is 10:15` or `22:30 + 3 hours = 01:30`.

    `start` and `length` are the first groups of the time and of the length.
    """
    sign = -1 if found[4].lower() in ("before", "minus", "-") else 1
    first = _minutes(*found.group(start, start + 1, start + 2))
    moved = first + sign * _length(*found.group(length, length + 1, length + 2))
    off = (moved - _minutes(*found.group(8, 9, 10))) % HALF_DAY
    return min(off, HALF_DAY - off) < 1, f"it is {_clock(moved)}"


_DATED: tuple[tuple[re.Pattern[str], Callable[..., Verdict]], ...] = tuple(
    (re.compile(pattern, flags), read)
    for pattern, flags, read in (
        (rf"(?<!every\s)(?<!each\s)\b{_WEEKDAY},?\s\(?(?:the\s)?{_DATE}", 0, _weekday),
        (rf"{_DATE}\s?\((?:a\s)?{_WEEKDAY}\)", 0, _weekday),
        (rf"{_DATE}{_IS}(?:an?\s)?{_WEEKDAY}", 0, _weekday),
        (
            rf"\b{_SPAN}\s(?P<side>after|before|from|following|prior\sto)\s{_START}{_IS}"
            rf"(?:[A-Z][a-z]+,?\s)?{_END}",
            re.I, _shift,
        ),
        (
            rf"{_START}\s(?P<side>plus|\+|minus|-)\s{_SPAN}{_IS}(?:[A-Z][a-z]+,?\s)?{_END}",
            re.I, _shift,
        ),
        (rf"{_END}{_IS}{_SPAN}\s(?P<side>after|before|prior\sto)\s{_START}", re.I, _shift),
        (
            rf"\b(?:from|between)\s{_START}\s(?:to|until|till|and)\s{_END}{_IS}{_SPAN}\b",
            re.I, _between,
        ),
        (r"\b(?P<year>(?:19|20|21)\d\d)\sis\sa\sleap\syear", 0, _leap),
        (
            rf"\b(?P<name>{'|'.join(MONTHS)})\s(?P<year>(?:19|20|21)\d\d)\shas\s"
            r"(?P<count>\d\d)\sdays",
            0, _month_length,
        ),
    )
)  # fmt: skip

_TIMED: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Verdict]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), read)
    for pattern, read in (
        (
            rf"\b(?:from|between)\s{_TIME}\s(?:to|until|till|and)\s{_TIME}{_IS}{_LENGTH}",
            _time_between,
        ),
        (
            rf"\b{_LENGTH}\s(after|before)\s{_TIME}{_IS}{_TIME}",
            partial(_time_moved, start=5, length=1),
        ),
        (
            rf"(?<![\d:]){_TIME}\s(\+|plus|-|minus)\s{_LENGTH}{_IS}{_TIME}",
            partial(_time_moved, start=1, length=5),
        ),
    )
)
