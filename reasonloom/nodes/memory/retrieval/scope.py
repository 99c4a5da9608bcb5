"""Turns a request's filters into the scope that the stores search in."""

from __future__ import annotations

from reasonloom.contracts.base import parse_moment
from reasonloom.contracts.memory.tools import Selection
from reasonloom.stores.memory.search.scope import Scope


def scope_of(request: Selection) -> Scope:
    """Return what the request's filters leave to be found."""
    dates, metadata = request.date_range, request.metadata
    return Scope(
        sector=request.primary_sector,
        min_strength=request.min_strength,
        min_salience=request.min_salience,
        after=parse_moment(dates.start) if dates and dates.start else None,
        before=parse_moment(dates.end) if dates and dates.end else None,
        keywords=metadata.keywords if metadata else None,
        tags=metadata.tags if metadata else None,
        category=metadata.category if metadata else None,
    )
