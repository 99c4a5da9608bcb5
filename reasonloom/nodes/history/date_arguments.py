"""Parses date arguments of history requests, and formats times as the reference does.

Dates without a time zone, and the times in formatted text, are in the server's local time.
"""

import re
from datetime import datetime, timedelta

from reasonloom.errors import InvalidArgument
from reasonloom.stores.history.chunk_lists import Span

FORM = "must be a date of ISO 8601, such as 2026-03-01 or 2026-03-01T10:30:00Z"
DAY_ALONE = re.compile(r"\d{4}-?\d\d-?\d\d|\d{4}-?W\d\d(-?\d)?")
NARROWER = "days_back is given with from or to; the narrower holds: {within}"
LAST_DAY = datetime(9999, 12, 31)
LATELY = timedelta(days=330)
"""Days further than this from now are shown with their year, so that they are unambiguous."""


def parse_moment(written: str, field: str, *, last: bool = False) -> datetime:
    """Parse an ISO 8601 date; a day alone means its start, or its end if `last`.

    Raises:
        InvalidArgument: `written` is no date, or is out of range.
    """
    given = written.strip()
    try:
        read = datetime.fromisoformat(given)
        if last and DAY_ALONE.fullmatch(given) and read < LAST_DAY:
            read += timedelta(days=1)
        return read if read.tzinfo else read.astimezone()
    except (ValueError, OverflowError, OSError):
        raise InvalidArgument(f"{field}: {FORM}", field=field) from None


def parse_span(
    since: str | None, until: str | None, days_back: float | None, now: datetime
) -> tuple[Span, list[str]]:
    """Return the intersection of `from`/`to` and `days_back`, and a note if both are given.

    A `to` that is a day alone includes that day.

    Raises:
        InvalidArgument: a date is invalid, `from` is not before `to`, or `days_back` is out of
            range.
    """
    named = span_between(since, until, ("from", "to"), whole_day=True)
    if days_back is None:
        return named, []
    if days_back <= 0:
        raise InvalidArgument("days_back: must be greater than 0", field="days_back")
    back = _before(now, days_back)
    begins = max(named.since, back) if named.since else back
    if named == Span(None, None):
        return Span(begins, None), []
    within = f"from {begins.astimezone():%Y-%m-%dT%H:%M}"
    if named.until:
        within += f" to {named.until.astimezone():%Y-%m-%dT%H:%M}"
    return Span(begins, named.until), [NARROWER.format(within=within)]


def span_between(
    since: str | None, until: str | None, names: tuple[str, str], *, whole_day: bool = False
) -> Span:
    """Return the span between two dates; `names` are the argument names, for errors.

    Raises:
        InvalidArgument: a date is invalid, or the first is not before the second.
    """
    first, last = names
    begins = parse_moment(since, first) if since is not None else None
    ends = parse_moment(until, last, last=whole_day) if until is not None else None
    if begins and ends and begins >= ends:
        raise InvalidArgument(f"{first}: must be before {last}", field=first)
    return Span(begins, ends)


def format_month(at: datetime) -> str:
    """Return `Jan 2025`."""
    return at.astimezone().strftime("%b %Y")


def format_months(first: datetime | None, last: datetime | None) -> str:
    """Return `Jan 2025 – Feb 2025`; one month if both are in it."""
    if first is None or last is None:
        return "undated"
    begun, ended = format_month(first), format_month(last)
    return begun if begun == ended else f"{begun} – {ended}"


def format_day(at: datetime | None) -> str:
    """Return `Jan 15, 2025`."""
    if at is None:
        return "undated"
    local = at.astimezone()
    return f"{local:%b} {local.day}, {local.year}"


def format_times(first: datetime | None, last: datetime | None, now: datetime) -> str:
    """Return `Feb 8, 2:30 PM – 4:15 PM`, with the second day if it differs."""
    if first is None:
        return "undated"
    begun = first.astimezone()
    ended = (last or first).astimezone()
    text = f"{_format_local_day(begun, now)}, {_format_clock(begun)}"
    if (begun.date(), _format_clock(begun)) == (ended.date(), _format_clock(ended)):
        return text
    other = "" if begun.date() == ended.date() else f"{_format_local_day(ended, now)}, "
    return f"{text} – {other}{_format_clock(ended)}"


def _format_local_day(local: datetime, now: datetime) -> str:
    year = f", {local.year}" if abs(now - local) > LATELY else ""
    return f"{local:%b} {local.day}{year}"


def _format_clock(local: datetime) -> str:
    return f"{local.hour % 12 or 12}:{local:%M} {'AM' if local.hour < 12 else 'PM'}"  # noqa: PLR2004


def _before(now: datetime, days: float) -> datetime:
    try:
        return now - timedelta(days=days)
    except OverflowError:
        raise InvalidArgument(
            "days_back: is further back than there are days", field="days_back"
        ) from None
