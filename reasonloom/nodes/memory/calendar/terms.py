"""Builds date terms, the index terms that match dates in memories with dates in questions.

A term is `2025-03-08`, `2025-03`, `2025`, or, for any year, `*-03-08` and `*-03`. A memory is
indexed under all terms of each of its dates, at every length; a question uses only the longest. So
"in March" matches 8 March 2025, and "8 March 2024" does not.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta

from reasonloom.nodes.memory.calendar.mentions import DateMention, date_mentions
from reasonloom.nodes.memory.calendar.relative import (
    MONTHS_OF_YEAR,
    Period,
    month_number,
    month_span,
    relative_periods,
    without_periods,
)

NOON = time(12)
READ_CHARACTERS = 20_000
"""Characters of a text that are scanned for dates."""

MOST_TERMS = 200
DAY_WEIGHT, MONTH_WEIGHT, YEAR_WEIGHT = 1.0, 0.5, 0.25
"""Weights of a match by precision: the coarser the term, the more memories share it."""

WEEK = timedelta(days=7)


def names_a_day(content: str, today: date) -> bool:
    """Return whether a text names a day or a week, by date or relative to `today`."""
    head = content[:READ_CHARACTERS]
    return any(each.day for each in date_mentions(head)) or any(
        end - start <= WEEK for *_, (start, end) in relative_periods(head, today)
    )


def stated_moment(context: str | None) -> datetime | None:
    """Return noon UTC of the first complete date in a context: when the memory was stated."""
    days = map(_complete_date, date_mentions((context or "")[:READ_CHARACTERS]))
    day = next(filter(None, days), None)
    return datetime.combine(day, NOON, UTC) if day else None


def date_terms(content: str, context: str | None, created: date) -> list[str]:
    """Return the terms of all dates in a memory, including its date of creation.

    The reference date is the first complete date in `context`, else `created`. A day or month
    without a year gets the year nearest to it; periods such as "last month" are relative to it.
    """
    circumstances = list(date_mentions(context or ""))
    spoken = next(filter(None, map(_complete_date, circumstances)), created)
    periods = list(relative_periods(content[:READ_CHARACTERS], spoken))
    written = date_mentions(without_periods(content[:READ_CHARACTERS], periods))
    mentions = [_mention_of(created), _mention_of(spoken)]
    mentions += [_with_nearest_year(each, spoken) for each in (*circumstances, *written)]
    mentions += [mention for each in periods for mention in _mentions_in(each.period)]
    terms = {term for mention in mentions for term in _terms(mention)}
    return sorted(terms)[:MOST_TERMS]


def date_terms_of_query(question: str, today: date) -> dict[str, float]:
    """Return the date terms of a question with the weight of a match, 0..1."""
    question = question[:READ_CHARACTERS]
    periods = list(relative_periods(question, today))
    mentions = list(date_mentions(without_periods(question, periods)))
    mentions += [mention for each in periods for mention in _mentions_in(each.period)]
    return dict(map(_longest_term, mentions))


def _mentions_in(period: Period) -> Iterator[DateMention]:
    """Yield a period as days up to a week, else as months and years, or as years alone."""
    start, end = period
    if end - start <= WEEK:
        for n in range((end - start).days):
            yield _mention_of(start + timedelta(days=n))
        return
    first, last = month_number(start), month_number(end)
    months = [month_span(number, 1)[0] for number in range(first, last)]
    if len(months) < MONTHS_OF_YEAR:
        yield from (DateMention(each.year, each.month) for each in months)
    if len(months) > 1:
        yield from (DateMention(each.year) for each in months)


def _mention_of(day: date) -> DateMention:
    return DateMention(day.year, day.month, day.day)


def _with_nearest_year(mention: DateMention, spoken: date) -> DateMention:
    """Return a day or month without a year completed with the year nearest to `spoken`."""
    if mention.year is not None or mention.month is None:
        return mention
    around = [mention._replace(year=spoken.year + n) for n in (-1, 0, 1)]
    days = [(_complete_date(each._replace(day=each.day or 15)), each) for each in around]
    known = [(abs((day - spoken).days), each) for day, each in days if day]
    return min(known, default=(0, mention))[1]


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
