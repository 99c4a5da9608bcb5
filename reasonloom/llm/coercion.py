"""Coerces values of the wrong type to a JSON Schema, without inventing content.

Models write `"80%"` or `4/5` for a number, a bare item for a list of one, `null` for a missing
value, and keys and enum members with different case or punctuation.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from jsonschema.validators import validator_for
from referencing import Registry

NUMBER = r"[-+]?(?:\d+(?:[.,]\d+)?|[.,]\d+)"
_ONE_NUMBER = re.compile(rf"[^\d.,+-]*({NUMBER})[^\d]*")
_PERCENT = re.compile(rf"\D*?({NUMBER})\s*(?:%|percent\b)\D*")
_RATIO = re.compile(rf"\D*?({NUMBER})\s*(?:/|out of|of)\s*(\d+)\D*")
_OPENING = re.compile(r"\W*([\w-]+)(?!\s*(?:or\b|[/|,]))")
_BULLET = re.compile(r"\s*(?:[-*\u2022]|\d+[.)])\s+(\S.*)")
_TRUTH = {"true": True, "yes": True, "false": False, "no": False}
HUNDRED = 100
LEAST_PERCENT = 10
"""Above this, a number that should be at most 1 is a percentage; lower ones may be out of 10."""


def coerced(value: Any, schema: Any) -> Any:
    """Return `value` with its parts converted to the types in `schema` where possible.

    Parts that cannot be converted are left unchanged, so that validation reports them.
    """
    if not isinstance(schema, dict):
        return value
    if "enum" in schema:
        named = member(schema["enum"], [value])
        return value if named is None else named
    read = _READERS.get(str(schema.get("type")))
    return read(value, schema) if read else value


def conforms(value: Any, schema: dict[str, Any]) -> bool:
    """Return whether `value` validates against a well-formed `schema`; fetches no references."""
    return bool(validator_for(schema)(schema, registry=Registry()).is_valid(value))


def member(members: Sequence[Any], texts: Sequence[object]) -> Any:
    """Return the only enum member that equals one of the texts or is its first word.

    None if no member matches, or more than one does.
    """
    names = {_letters(str(each)): each for each in members}
    named = set()
    for text in texts:
        if isinstance(text, str):
            opening = _OPENING.match(text)
            wholes = (text, opening[1] if opening else "")
            named |= {names[_letters(each)] for each in wholes if _letters(each) in names}
    return named.pop() if len(named) == 1 else None


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _number(value: Any, schema: Mapping[str, Any]) -> Any:
    value = _only_part(value)
    share = schema.get("maximum") == 1
    if isinstance(value, str):
        value = _number_in(value, share=share)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if share and LEAST_PERCENT < value <= HUNDRED:
        return value / HUNDRED
    return value


def _number_in(text: str, *, share: bool) -> Any:
    """Return the only number in a text, or the text if there is none.

    With `share`, percentages and ratios become fractions of 1.
    """
    if share and (found := _PERCENT.fullmatch(text)):
        return _float(found[1]) / HUNDRED
    if share and (found := _RATIO.fullmatch(text)) and int(found[2]):
        return _float(found[1]) / int(found[2])
    found = _ONE_NUMBER.fullmatch(text)
    if found is None or ("," in found[1] and not share):  # 1,000 may mean one or a thousand
        return text
    return _float(found[1])


def _float(text: str) -> float:
    return float(text.replace(",", "."))


def _integer(value: Any, schema: Mapping[str, Any]) -> Any:
    number = _number(value, schema)
    return int(number) if isinstance(number, float) and number.is_integer() else number


def _boolean(value: Any, schema: Mapping[str, Any]) -> Any:
    if isinstance(value, int) and value in (0, 1):
        return bool(value)
    return _TRUTH.get(_letters(value), value) if isinstance(value, str) else value


def _text(value: Any, schema: Mapping[str, Any]) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return "\n".join(value)
    part = _only_part(value)
    return part if isinstance(part, str) else value


def _only_part(value: Any) -> Any:
    """Return the only value of a one-item list or one-property object, else `value` itself."""
    if isinstance(value, dict) and len(value) == 1 and "type" not in value:
        return next(iter(value.values()))
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _list(value: Any, schema: Mapping[str, Any]) -> Any:
    items = _schema(schema.get("items"))
    found = [coerced(each, items) for each in _listed(value, items)]
    blank = [None, ""] if items.get("type") == "string" else [None]
    kept = [
        each for each in found if (each.strip() if isinstance(each, str) else each) not in blank
    ]
    return kept[: schema.get("maxItems")]


def _listed(value: Any, items: Mapping[str, Any]) -> Sequence[Any]:
    """Return the items of a list, however the model wrote it."""
    if isinstance(value, list):
        return [_named(each, items) if isinstance(each, list) else each for each in value]
    if isinstance(value, str):
        numbers = items.get("type") in ("integer", "number")
        return value.split(",") if numbers and "[" not in value else _lines(value)
    if isinstance(value, dict):
        pairs = [_named(each, items) for each in value.items()]
        if value.keys().isdisjoint(items.get("properties", {})) and any(
            conforms(coerced(each, items), dict(items)) for each in pairs
        ):
            return pairs
        numbered = bool(value) and all(key.strip().isdigit() for key in value)
        return [*value.values()] if numbered else [value] if value else []
    return [] if value is None else [value]


def _named(values: Sequence[Any], items: Mapping[str, Any]) -> Any:
    """Return the values as an object, keyed by the schema's required names in order."""
    required = items.get("required", ())
    return dict(zip(required, values, strict=True)) if len(required) == len(values) else values


def _lines(text: str) -> list[Any]:
    """Return the items of a JSON or bullet list, else the text as the only item."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, list):
        return found
    bullets = [_BULLET.fullmatch(line) for line in text.splitlines() if line.strip()]
    return [each[1] for each in bullets if each] if bullets and all(bullets) else [text]


def _object(value: Any, schema: Mapping[str, Any]) -> Any:
    known: Mapping[str, Any] = schema.get("properties", {})
    value = _wrapped(value, schema)
    if not isinstance(value, dict):
        return value
    names = {_letters(name): name for name in known}
    renamed = {names.get(_letters(key), key): each for key, each in value.items()} | {
        key: each for key, each in value.items() if key in known
    }
    required = schema.get("required", ())
    closed = schema.get("additionalProperties") is False
    read = {
        key: fitted
        for key, each in renamed.items()
        if (key in known or not closed) and not (each is None and key not in required)
        for fitted in (coerced(each, known.get(key)),)
        if key in required or key not in known or conforms(fitted, known[key])
    }
    if 2 * sum(name in read for name in required) > len(required):
        empty = (name for name in required if name not in read and _may_be_empty(known, name))
        read |= {name: [] for name in empty}
    return read


def _may_be_empty(known: Mapping[str, Any], name: str) -> bool:
    schema = _schema(known.get(name))
    return schema.get("type") == "array" and not schema.get("minItems")


def _schema(part: object) -> Mapping[str, Any]:
    """Return a subschema as a mapping; empty if it is a boolean or missing."""
    return part if isinstance(part, dict) else {}


def _wrapped(value: Any, schema: Mapping[str, Any]) -> Any:
    """Wrap a list, or a single item, in the object whose only required property is that list.

    For other schemas, a list of one is unwrapped.
    """
    required = schema.get("required", ())
    name = required[0] if len(required) == 1 else None
    part = _schema(schema.get("properties", {}).get(name))
    items = _schema(part.get("items"))
    if part.get("type") != "array" or items.get("type") != "object":
        return _only_part(value) if isinstance(value, list) else value
    listed = value if isinstance(value, list) else [value]
    fits = all(conforms(coerced(each, items), dict(items)) for each in listed)
    return {name: listed} if listed and fits else value


_READERS = {
    "number": _number,
    "integer": _integer,
    "boolean": _boolean,
    "string": _text,
    "array": _list,
    "object": _object,
}
