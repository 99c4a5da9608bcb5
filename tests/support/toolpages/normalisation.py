"""Makes what a call was asked and answered stand still: ids, times, figures; and lays it out."""

from __future__ import annotations

import json
import re
from typing import Any

PLACES = 3
"""Decimal places that a figure keeps: the rest differs between processors."""

UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
MOMENT = re.compile(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:[\d.]+(?:Z|\+00:00)")
MINUTE = re.compile(r"\b20\d\d-\d\d-\d\d \d\d:\d\d\b")
TIMED = ("processingTime", "detectionTime")
"""What an answer says of how long it took: shown as one millisecond."""

WHEN = "2026-03-01T12:00:00+00:00"


class Stillness:
    """Puts the same id for the same id, wherever it stands on a page."""

    def __init__(self) -> None:
        self._ids: dict[str, str] = {}

    def __call__(self, value: Any) -> Any:
        """Return a value with stable ids and times, and figures of three places."""
        if isinstance(value, dict):
            return {
                self._text(name): 1.0 if name in TIMED else self(item)
                for name, item in value.items()
            }
        if isinstance(value, list):
            return [self(item) for item in value]
        if isinstance(value, float):
            return round(value, PLACES)
        return self._text(value) if isinstance(value, str) else value

    def _text(self, text: str) -> str:
        still = MOMENT.sub(_moment, UUID.sub(lambda found: self._id(found[0]), text))
        return MINUTE.sub(lambda found: _moment(found)[:16].replace("T", " "), still)

    def _id(self, found: str) -> str:
        return self._ids.setdefault(found, f"00000000-0000-4000-8000-{len(self._ids) + 1:012d}")


def _moment(found: re.Match[str]) -> str:
    """Keep a moment of the stopped clock; what the machine's clock told is none."""
    return found[0] if found[0].startswith(("2025-", "2026-01", "2026-02", "2026-03")) else WHEN


def as_json(value: Any, width: int = 96, indent: str = "") -> str:
    """Return JSON that breaks a line only where it would grow too long."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + len(indent) <= width or not isinstance(value, dict | list) or not value:
        return flat
    deeper = indent + "  "
    if isinstance(value, dict):
        parts = [f"{json.dumps(n, ensure_ascii=False)}: {as_json(v, width, deeper)}"
                 for n, v in value.items()]  # fmt: skip
        ends = "{}"
    else:
        parts, ends = [as_json(each, width, deeper) for each in value], "[]"
    inner = ",\n".join(deeper + part for part in parts)
    return f"{ends[0]}\n{inner}\n{indent}{ends[1]}"
