"""Resolves schemas for the offline model, and creates numbers and texts within their bounds."""

import math
from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]

MAX_REFERENCES = 16
"""References followed for one value before a schema is considered circular."""

_HINTS = {
    "object": ("properties", "required", "additionalProperties", "minProperties"),
    "array": ("items", "prefixItems", "minItems"),
    "number": ("minimum", "maximum", "multipleOf"),
}


class Unfillable(Exception):
    """No value for this part of a schema can be found by rule."""


def resolve(schema: Schema, root: Schema) -> Schema:
    """Return `schema` with its references into `root` and its `allOf` parts merged in."""
    for _ in range(MAX_REFERENCES):
        parts = [*schema.get("allOf", ())]
        if "$ref" in schema:
            parts.append(_pointed(schema["$ref"], root))
        if not parts:
            return schema
        schema = {k: v for k, v in schema.items() if k not in ("$ref", "allOf")}
        for part in parts:
            schema = merge(schema, part)
    raise Unfillable


def _pointed(reference: str, root: Schema) -> Schema:
    if not reference.startswith("#"):
        raise Unfillable
    found: Any = root
    for step in reference[1:].split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, dict) or name not in found:
            raise Unfillable
        found = found[name]
    return found if isinstance(found, dict) else {}


def merge(schema: Schema, part: Schema | bool) -> dict[str, Any]:
    """Merge `part` into `schema`: properties and required are joined, other keywords replaced."""
    if isinstance(part, bool):
        if not part:
            raise Unfillable
        return dict(schema)
    joined = {**schema, **part}
    if "properties" in schema and "properties" in part:
        joined["properties"] = {**schema["properties"], **part["properties"]}
    if "required" in schema and "required" in part:
        joined["required"] = list(dict.fromkeys([*schema["required"], *part["required"]]))
    return joined


def kind_of(schema: Schema) -> str:
    """Return the type to fill: the first that is not null, inferred if none is given."""
    given = schema.get("type")
    kinds = [given] if isinstance(given, str) else list(given or ())
    telling = [kind for kind in kinds if kind != "null"]
    if kinds:
        return str((telling or kinds)[0])
    return next((kind for kind, keys in _HINTS.items() if any(k in schema for k in keys)), "string")


def allowed_values(schema: Schema) -> list[Any]:
    """Return the schema's `const` and `default`; the default of a string is ignored."""
    fixed = [schema["const"]] if "const" in schema else []
    if kind_of(schema) != "string" or "enum" in schema:
        fixed += [schema["default"]] if schema.get("default") is not None else []
    return fixed


FORMATS = {
    "date-time": "1970-01-01T00:00:00Z",
    "date": "1970-01-01",
    "time": "00:00:00Z",
    "duration": "PT0S",
    "uuid": "00000000-0000-0000-0000-000000000000",
    "uri": "about:blank",
    "email": "nobody@example.invalid",
}
"""A recognisable placeholder for each string format."""

NUDGE = 1e-6
"""Distance from an exclusive bound for numbers without a step."""

MAX_STEPS = 50
"""Multiples tried on either side of the wanted number."""

ROOM_FOR_MARK = 20
"""Minimum `maxLength` for which a cut text ends in an ellipsis."""


def number(schema: Schema, support: float, *, whole: bool) -> float | int:
    """Return `support` (0 to 1) as a number that is valid in the schema.

    Clamped to the bounds; scaled to them if they exceed 0 to 1, as in a rating from 1 to 10;
    then moved to the nearest step (`multipleOf`, or 1 for integers).

    Raises:
        Unfillable: no step is found within the bounds.
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
    """Return the multiple of `step` nearest to `wanted`, skipping inexact ones."""
    nearest = round(wanted / step)
    for away in range(MAX_STEPS):
        for count in (nearest - away, nearest + away):
            found = count * step
            inside = (low is None or found >= low) and (high is None or found <= high)
            if inside and found / step == count:
                return found
    raise Unfillable


def fit_length(text: str, schema: Schema) -> str:
    """Return `text` cut to `maxLength` or padded with dots to `minLength`."""
    most = schema.get("maxLength")
    if most is not None and len(text) > most:
        mark = "\u2026" if most >= ROOM_FOR_MARK else ""
        text = text[: most - len(mark)].rstrip() + mark
    return text.ljust(schema.get("minLength", 0), ".")


def numbered(value: Any, count: int, part: Any) -> Any:
    """Make a repeated item distinct: append a number to a text, add it to a number."""
    part = part if isinstance(part, dict) else {}
    if isinstance(value, str):
        mark = f" ({count})"
        room = part.get("maxLength", len(value) + len(mark)) - len(mark)
        return value[: max(room, 0)] + mark
    if isinstance(value, bool):
        return bool(count % 2)
    if isinstance(value, dict):
        return _distinct(value, count, part.get("properties", {}))
    return value + count - 1 if isinstance(value, int | float) else value


def _distinct(value: dict[str, Any], count: int, properties: Schema) -> dict[str, Any]:
    """Append the number to the first text of an object."""
    name = next((key for key, item in value.items() if isinstance(item, str)), None)
    return (
        value
        if name is None
        else {**value, name: numbered(value[name], count, properties.get(name))}
    )
