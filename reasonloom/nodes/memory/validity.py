"""Parses the time at which results must have been valid (`asOf`, `between`)."""

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from reasonloom.contracts.base import CamelRequest, parse_moment
from reasonloom.contracts.validity import HeldRequest
from reasonloom.errors import InvalidArgument
from reasonloom.nodes.execution import Execution
from reasonloom.stores.memory import statistics

AHEAD = "{field}: must not be in the future; give a past date, such as 2025-12-07"
TOO_EARLY = "nothing stored is dated {wanted} or earlier; the oldest is of {oldest}"


class HeldSpan(NamedTuple):
    """The interval in which a result must have been valid at some moment."""

    start: datetime
    end: datetime


def held_span(request: HeldRequest, now: datetime) -> HeldSpan | None:
    """Return the requested interval, None for now; a date without a time ends with that day.

    Raises:
        InvalidArgument: the time is in the future.
    """
    if request.between:
        first, last = request.between
        return HeldSpan(_past(first, "between", now), min(_end_of(last), now))
    if not request.as_of:
        return None
    moment = _past(request.as_of, "asOf" if isinstance(request, CamelRequest) else "as_of", now)
    moment = max(moment, min(_end_of(request.as_of), now))
    return HeldSpan(moment, moment)


async def too_early_notes(
    execution: Execution, request: HeldRequest, *, transcripts: bool = False
) -> list[str]:
    """Return a note if everything stored was stated after the requested time."""
    held = held_span(request, execution.loom.clock())
    if held is None:
        return []
    async with execution.loom.database.begin(execution.caller, once=True) as tx:
        oldest = await statistics.oldest(tx, transcripts=transcripts)
    if oldest is None or oldest <= held.end:
        return []
    wanted, first = (each.astimezone(UTC).date() for each in (held.end, oldest))
    return [TOO_EARLY.format(wanted=wanted, oldest=first)]


def _past(text: str, field: str, now: datetime) -> datetime:
    moment = parse_moment(text)
    if moment > now:
        raise InvalidArgument(AHEAD.format(field=field), field=field)
    return moment


def _end_of(text: str) -> datetime:
    is_date = len(text) == len("2025-12-07")
    return parse_moment(text) + timedelta(days=1 if is_date else 0)
