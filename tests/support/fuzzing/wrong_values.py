"""Wrong values for every field of a published schema, as the raw JSON a client may send."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.support.contracts.references import example, least_request

Path = tuple[str, ...]
HOLE = "<<hole>>"
MIB = 1024 * 1024

OF_EACH_TYPE = {
    "string": '"a plain text"',
    "number": "0.5",
    "whole": "1",
    "boolean": "true",
    "array": "[]",
    "object": "{}",
}
NO_NUMBERS = ("NaN", "Infinity", "-Infinity", "1e999", "-1e999")
NO_TEXT = {
    "nul": r'"a\u0000b"',
    "lone high surrogate": r'"a\ud800b"',
    "lone low surrogate": r'"\udfff"',
    "surrogates the wrong way round": r'"\udc00\ud800"',
    "noncharacter": r'"a\uffffb"',
    "noncharacter of a higher plane": r'"\ud83f\udffe"',
}
REPAIRED = {("number", "whole"), ("integer", "whole"), ("array", "string")}
"""Types of fields and of values that they take."""

UNTOLD = {"string": 1_000, "integer": 1_000, "object": 1_000, "number": 16_000}
"""Of items of each type, what no list takes where its schema does not tell how many."""

FREE_TEXT = frozenset({"context"})
"""Fields of text that may well be empty."""


@dataclass(frozen=True)
class Field:
    """One field of a tool's arguments; an array's item has `0` as its last step."""

    path: Path
    schema: dict[str, Any]
    required: bool

    @property
    def name(self) -> str:
        """The dotted path, as errors name it."""
        return ".".join(self.path)


def fields_of(schema: dict[str, Any], path: Path = ()) -> Iterator[Field]:
    """Yield every field of a schema, nested ones and items of arrays included."""
    for name, inner in schema.get("properties", {}).items():
        here = (*path, name)
        yield Field(here, inner, name in schema.get("required", ()))
        yield from fields_of(inner, here)
        if inner.get("type") == "array":
            yield Field((*here, "0"), inner["items"], False)


def wrong_values(field: Field) -> Iterator[tuple[str, str]]:
    """Yield a label and the JSON of values that the field must refuse, also where it is lenient."""
    kind = field.schema["type"]
    for name, raw in OF_EACH_TYPE.items():
        if name != kind and (kind, name) not in REPAIRED:
            yield f"a {name}", raw
    match kind:
        case "string":
            yield from _wrong_texts(field)
        case "number" | "integer":
            yield from _wrong_numbers(field)
        case "boolean":
            yield "a number for a bool", "0"
            yield "text for a bool", '"yes"'
        case "array":
            most = field.schema.get("maxItems", UNTOLD[field.schema["items"]["type"]])
            yield "a list too long", json.dumps([example(field.schema["items"])] * (most + 1))
            yield "a null in it", "[null]"
    for raw in NO_NUMBERS:
        yield raw, raw


def _wrong_texts(field: Field) -> Iterator[tuple[str, str]]:
    yield from NO_TEXT.items()
    yield "1 MiB", json.dumps("x" * MIB)
    if "maxLength" in field.schema:
        yield "one too long", json.dumps("é" * (field.schema["maxLength"] + 1))
    if field.path[-1] not in FREE_TEXT:
        yield "empty", '""'
        yield "whitespace", r'" \t\n\u00a0\u2003"'
    if "enum" in field.schema:
        yield "no choice", '"nonsense"'
    if field.schema.get("format") == "date-time":
        yield "no date", '"yesterday"'
        yield "no month", '"2025-13-01T00:00:00Z"'


def _wrong_numbers(field: Field) -> Iterator[tuple[str, str]]:
    yield "a number as text", '"1.2.3"'
    yield "huge", "9" * 400
    yield "hugely negative", "-" + "9" * 400
    for bound, step in (("minimum", -1), ("maximum", 1)):
        if bound in field.schema:
            yield f"beyond the {bound}", str(field.schema[bound] + step)
            yield f"far beyond the {bound}", str(step * max(10**18, 10 * field.schema[bound]))
            yield f"just beyond the {bound}", str(field.schema[bound] + step * 0.001)


def arguments_with(schema: dict[str, Any], path: Path, raw: str) -> str:
    """Return the least arguments a tool takes, as JSON, with `raw` at `path`."""
    arguments: Any = copy.deepcopy(least_request(schema))
    place = arguments
    for step, following in zip(path, (*path[1:], None), strict=True):
        if following == "0":
            place[step] = [HOLE]
            break
        if following is None:
            place[step] = HOLE
            break
        place = place.setdefault(step, {})
    return json.dumps(arguments).replace(json.dumps(HOLE), raw)


def misspelt(name: str) -> str:
    """Return a name that is none, and that only `name` is near to."""
    return name + "qq" if len(name) > 3 else name + "q"
