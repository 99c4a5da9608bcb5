"""Parses a language model's reply as an object that follows a JSON Schema.

Models wrap JSON in fences, prose and envelopes.
"""

import json
import math
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from jsonschema.exceptions import best_match
from jsonschema.validators import validator_for
from referencing import Registry

from reasonloom.llm.coercion import coerced, conforms

MAX_STARTS = 200
"""Opening braces tried in a prose reply, so that hostile text cannot block the process."""

MOST_MENDED = 50_000
"""Maximum characters of malformed JSON to repair."""

_START = re.compile(r"[{\[](?=\s*(?:\\?[\"'\u201c{\[]|[A-Za-z_]\w*\s*:|$))")
_KEY = re.compile(r"\s*[\"'][A-Za-z_]\w*[\"']\s*:")
_ESCAPED = re.compile(r"[{\[]\s*\\\"")
_CUT_NUMBER = re.compile(r"(?<=[\s:,\[])[-+]?(?:0?|\d+\.)\s*\Z")
"""An incomplete number at the end of a truncated reply: `0` may have become 0.8."""

_FENCED = re.compile(r"(?:```|~~~)[\w+-]*\s(.*?)(?:```|~~~|\Z)", re.S)
_FENCE = re.compile(r"```[\w+-]*[ \t]*\r?\n(.*?)```", re.S)


def read_object(text: str, schema: dict[str, Any]) -> dict[str, Any] | None:
    """Return the object in `text` that follows `schema`, None if there is none.

    Tried in this order: the whole text, fenced blocks, objects in prose (the last first, because
    models think before they answer), then objects nested in those. If none follows the schema,
    returns the first that does after type coercion and syntax repair (see `coerced` and
    `mended`).
    """
    try:
        found = list(_candidates(text))
        exact = next((each for each in found if conforms(each, schema)), None)
        return exact if exact is not None else _fitted(text, found, schema)
    except RecursionError:  # nested deeper than any real answer
        return None


def _fitted(
    text: str, found: Sequence[dict[str, Any]], schema: dict[str, Any]
) -> dict[str, Any] | None:
    lines = [*embedded_objects(text)]
    whole = [lines] if len(lines) > 1 else []
    for each in chain(whole, found, _mended_candidates(text)):
        value = coerced(each, schema)
        if isinstance(value, dict) and conforms(value, schema):
            return value
    return None


def _mended_candidates(text: str) -> Iterator[Any]:
    for value in mended(text):
        parts = [value, *(reversed(value) if isinstance(value, list) else ()), *_inside(value)]
        yield from parts
        if not text.rstrip("`~ \r\n").endswith(("}", "]")):
            yield from filter(None, map(_without_last_item, parts))


def _without_last_item(value: Any) -> Any:
    """Return a truncated value without the object at the cut; None if there is no such object."""
    if isinstance(value, list) and len(value) > 1 and isinstance(value[-1], dict):
        return value[:-1]
    if isinstance(value, dict) and value:
        key = [*value][-1]
        shorter = _without_last_item(value[key])
        return None if shorter is None else {**value, key: shorter}
    return None


class Misfit(Exception):
    """A reply does not follow the schema; the message names the field and its rule."""


def read_reply(
    reply: object, schema: dict[str, Any] | None, *, limit: int | None = None
) -> tuple[str, dict[str, Any] | None]:
    """Return a reply's text, and the object in it that follows `schema` if one is given.

    Args:
        reply: the object itself, or text that contains it, in fences or prose.
        schema: None if plain text is expected.
        limit: maximum characters of text, None for no limit.

    Raises:
        Misfit: it is too long, blank, or has no object that follows the schema.
    """
    text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
    text = storable(text)
    if limit is not None and len(text) > limit:
        raise Misfit(f"reply: has {len(text):,} characters; at most {limit:,} are taken")
    if not text.strip():
        raise Misfit("reply: must not be empty")
    if schema is None:
        return text, None
    parsed = read_object(text, schema)
    if parsed is None:
        raise Misfit(misfit(text, schema))
    return text, parsed


def misfit(text: str, schema: dict[str, Any]) -> str:
    """Return what is wrong with the object in a reply, naming the first invalid field."""
    try:
        found = next((each for each in _outermost(text)), None)
        found = found or next((each for each in mended(text) if isinstance(each, dict)), None)
        return _misfit(found, schema)
    except RecursionError:
        return _misfit(None, schema)


def _misfit(found: dict[str, Any] | None, schema: dict[str, Any]) -> str:
    required = ", ".join(map(str, schema.get("required", ())))
    if found is None:
        return f"reply: must be a JSON object with {required}"
    kept = coerced(found, schema)
    error = best_match(validator_for(schema)(schema, registry=Registry()).iter_errors(kept))
    path = [str(each) for each in error.absolute_path] if error else []
    if error is not None and error.validator == "required":
        path += [name for name in error.validator_value if name not in error.instance][:1]
        return f"{'.'.join(path)}: is required; the reply must be a JSON object with {required}"
    field = ".".join(path) or "reply"
    return f"{field}: {error.message[:200] if error else 'does not follow the schema'}"


def says_nothing(text: str) -> bool:
    """Return whether `text` is one object, fenced or not, without any text in it."""
    try:
        found = _decode(unfenced(text))
        return found is not None and not _has_words(found[0])
    except RecursionError:
        return False


def _has_words(value: object) -> bool:
    if isinstance(value, dict | list):
        return any(map(_has_words, value.values() if isinstance(value, dict) else value))
    return isinstance(value, str) and bool(value.strip())


def unfenced(text: str) -> str:
    """Return `text` stripped, without a code fence around the whole of it."""
    fenced = _FENCE.fullmatch(text.strip())
    return (fenced[1] if fenced else text).strip()


def decode_value(text: str) -> Any:
    """Return `text` decoded as a JSON value of any type.

    Raises:
        ValueError, RecursionError: it is not JSON, or nested too deeply.
    """
    return _cleaned(_DECODER.decode(text))


def storable(text: str) -> str:
    """Return `text` without NUL, and with lone surrogates replaced: databases reject both."""
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.replace("\x00", "")


def _candidates(text: str) -> Iterator[dict[str, Any]]:
    outer = list(_outermost(text))
    yield from outer
    for found in outer:
        yield from _inside(found)


def _outermost(text: str) -> Iterator[dict[str, Any]]:
    for passage in (text, *reversed(_FENCE.findall(text))):
        found = _decode(passage.strip())
        if found is not None:
            yield found[0]
    yield from reversed([*embedded_objects(text)])


def embedded_objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the outermost objects in prose, from left to right."""
    start = text.find("{")
    for _ in range(MAX_STARTS):
        if start < 0:
            return
        found = _decode(text[start:], whole=False)
        if found is not None:
            yield found[0]
        start = text.find("{", start + (found[1] if found else 1))


def _inside(value: object) -> Iterator[dict[str, Any]]:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in parts:
        if isinstance(part, dict):
            yield part
        elif isinstance(part, str) and (quoted := _decode(part.strip())):
            yield quoted[0]
            yield from _inside(quoted[0])
        yield from _inside(part)


def _decode(text: str, *, whole: bool = True) -> tuple[dict[str, Any], int] | None:
    """Return the object at the start of `text` and its end offset, None if there is none."""
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or (whole and end != len(text)):
        return None
    return _cleaned(value), end


def mended(text: str) -> Iterator[Any]:
    """Yield the values in fences, the last first, then of JSON in prose, with syntax repaired.

    Models omit or add commas, quotes and brackets. Text that is not JSON yields nothing.
    """
    for passage in (*reversed(_FENCED.findall(text)), text):
        start = _START.search(passage)
        body = "{" + passage if _KEY.match(passage) else passage[start.start() :] if start else ""
        if body and len(body) <= MOST_MENDED and body.count("{") - body.count("}") < MAX_STARTS:
            value = _mend(body)
            if isinstance(value, dict | list):
                yield value


def _mend(body: str) -> Any:
    from json_repair import loads  # noqa: PLC0415  # slow import

    if _ESCAPED.match(body):
        body = body.replace('\\"', '"')
    body = _CUT_NUMBER.sub("", body)
    if (len(body) - len(body.rstrip("\\"))) % 2:
        body = body[:-1]
    try:
        return decode_value(json.dumps(loads(body, skip_json_loads=True)))
    except (ValueError, RecursionError):
        return None


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable(key): _cleaned(item) for key, item in value.items()}
    return [_cleaned(item) for item in value] if isinstance(value, list) else value


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("JSON has no infinity")
    return number


def _refuse(constant: str) -> float:
    raise ValueError(f"JSON has no {constant}")


_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_refuse, strict=False)
