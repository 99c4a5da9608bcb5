"""Makes single numbers and texts for the offline llm, within the bounds a schema sets."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from reasonloom.llm.offline.fill_schema import Unfillable

if TYPE_CHECKING:
    from reasonloom.llm.offline.fill_schema import Schema

FORMATS = {
    "date-time": "1970-01-01T00:00:00Z",
    "date": "1970-01-01",
    "time": "00:00:00Z",
    "duration": "PT0S",
    "uuid": "00000000-0000-0000-0000-000000000000",
    "uri": "about:blank",
    "email": "nobody@example.invalid",
}
"""A recognisably empty value for each format of text."""

NUDGE = 1e-6
"""How far inside an exclusive bound a number without a step stays."""

MOST_STEPS = 50
"""Multiples tried on either side of the wanted number."""

ROOM_FOR_MARK = 20
"""Length from which a text that had to be cut shows it."""


def number(schema: Schema, support: float, *, whole: bool) -> float | int:
    """Return `support` (0 to 1) as a number that the schema takes.

    Pushed inside the bounds; spread over them where they reach beyond 0 to 1, as in a mark
    from 1 to 10; then moved to the nearest step (`multipleOf`, or 1 for integers).

    Raises:
        Unfillable: no step lies within the bounds.
    """
    step = schema.get("multipleOf", 1 if whole else None)
    low, high = _bounds(schema, step or NUDGE)
    wanted = support
    if low is not None and high is not None and not 0 <= low <= high <= 1:
        wanted = low + (high - low) * support
    wanted = min(max(wanted, -math.inf if low is None else low), math.inf if high is None else high)
    found = wanted if step is None else _stepped(wanted, step, low, high)
    return int(found) if whole else found


def _bounds(schema: Schema, nudge: float) -> tuple[float | None, float | None]:
    lows = [schema["minimum"]] if "minimum" in schema else []
    highs = [schema["maximum"]] if "maximum" in schema else []
    if "exclusiveMinimum" in schema:
        lows.append(schema["exclusiveMinimum"] + nudge)
    if "exclusiveMaximum" in schema:
        highs.append(schema["exclusiveMaximum"] - nudge)
    return max(lows, default=None), min(highs, default=None)


def _stepped(wanted: float, step: float, low: float | None, high: float | None) -> float:
    """Return the multiple nearest to `wanted`, inexact ones of binary fractions passed over."""
    nearest = round(wanted / step)
    for away in range(MOST_STEPS):
        for count in (nearest - away, nearest + away):
            found = count * step
            inside = (low is None or found >= low) and (high is None or found <= high)
            if inside and found / step == count:
                return found
    raise Unfillable


def sized(text: str, schema: Schema) -> str:
    """Return `text` cut to `maxLength`, or stretched with dots to `minLength`."""
    most = schema.get("maxLength")
    if most is not None and len(text) > most:
        mark = "\u2026" if most >= ROOM_FOR_MARK else ""
        text = text[: most - len(mark)].rstrip() + mark
    return text.ljust(schema.get("minLength", 0), ".")


def numbered(value: Any, count: int, part: Any) -> Any:
    """Tell a repeated item apart: a text by a number behind it, a number by adding to it."""
    part = part if isinstance(part, dict) else {}
    if isinstance(value, str):
        mark = f" ({count})"
        room = part.get("maxLength", len(value) + len(mark)) - len(mark)
        return value[: max(room, 0)] + mark
    if isinstance(value, bool):
        return bool(count % 2)
    if isinstance(value, dict):
        return _told_apart(value, count, part.get("properties", {}))
    return value + count - 1 if isinstance(value, int | float) else value


def _told_apart(value: dict[str, Any], count: int, properties: Schema) -> dict[str, Any]:
    """Number the first text of a record."""
    name = next((key for key, item in value.items() if isinstance(item, str)), None)
    return (
        value
        if name is None
        else {**value, name: numbered(value[name], count, properties.get(name))}
    )
