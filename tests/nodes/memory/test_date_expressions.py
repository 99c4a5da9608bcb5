"""120 expressions of time in English and German, written before either reader was looked at.

Each has the periods that may be read, none where it names no date. `held` was read once, for
`docs/decisions/0012-dates-are-read-by-ourselves.md`.
"""

from __future__ import annotations

import json
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from reasonloom.nodes.memory.calendar.periods import question_time
from reasonloom.nodes.memory.calendar.relative import relative_periods
from reasonloom.nodes.memory.calendar.terms import date_terms, date_terms_of_query

DAY = timedelta(days=1)
EXPRESSIONS = Path(__file__).with_name("date_expressions.jsonl")


def test_our_reader_on_the_half_that_chose_it() -> None:
    lines = map(json.loads, EXPRESSIONS.read_text("utf-8").splitlines())
    dev = [each for each in lines if each["half"] == "dev"]
    right = [each["id"] for each in dev if is_right(each)]
    assert len(dev) == 60
    assert len(right) == 56


def is_right(expression: dict[str, Any]) -> bool:
    """Tell whether exactly one of the accepted periods is read, or nothing where none is."""
    today = date.fromisoformat(expression["written"])
    read = read_in_question if expression["kind"] == "question" else read_in_memory
    found = read(expression["text"], today)
    return found in expression["accept"] if found else not expression["accept"]


def read_in_question(text: str, today: date) -> list[str]:
    time = question_time(text, today)
    if time.start or time.end:
        return [str(time.start or ""), str(time.end - DAY) if time.end else ""]
    return joined(set(date_terms_of_query(text, today)))


def read_in_memory(text: str, today: date) -> list[str]:
    bare = set(date_terms("", None, today))
    if named := set(date_terms(text, None, today)) - bare:
        return joined(named)
    around = next((each.period for each in relative_periods(text, today)), None)
    return [str(around[0]), str(around[1] - DAY)] if around else []


def joined(terms: set[str]) -> list[str]:
    """Return the first and last day of terms that follow each other, else the terms."""
    longest = [each for each in terms if "*" not in each and not any(
        other.startswith(f"{each}-") for other in terms)]  # fmt: skip
    spans = sorted(map(span, longest))
    if not spans or any(end + DAY != start for (_, end), (start, _) in pairwise(spans)):
        return sorted(terms)
    return [str(spans[0][0]), str(spans[-1][1])]


def span(term: str) -> tuple[date, date]:
    year, month, day = (*map(int, term.split("-")), 0, 0)[:3]
    if day:
        return date(year, month, day), date(year, month, day)
    following = date(year + month // 12, month % 12 + 1, 1) if month else date(year + 1, 1, 1)
    return date(year, month or 1, 1), following - DAY
