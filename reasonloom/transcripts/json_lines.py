"""Reads one line of JSON without trust in it, and the few values that lines share."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from reasonloom.transcripts.lines import Line, decoded
from reasonloom.transcripts.turns import Skipped

NAME_LENGTH = 200
"""Characters kept of an id, a name, a version."""

PATH_LENGTH = 4096


def entry_of(line: Line, skipped: Skipped | None) -> dict[str, Any] | None:
    """Return the line's object, None if it is none; deep nesting and huge numbers are refused."""
    try:
        value = json.loads(decoded(line.data, skipped), strict=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def text_of(value: Any, limit: int = NAME_LENGTH) -> str | None:
    """Return a short text that is one and not empty, without what cannot be stored."""
    if not isinstance(value, str) or not value:
        return None
    kept = value[:limit]
    if kept.isprintable():
        return kept
    return "".join(sign for sign in kept if sign.isprintable()) or None


def moment_of(value: Any) -> datetime | None:
    """Return an ISO 8601 time as aware UTC; one without a zone is UTC; None if it is none."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
        return aware.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
