"""Extracts the content of replies whose JSON does not follow the requested schema.

Pipes and small models answer in a form of their own, such as the reasoning reference's
`{"thought", "confidence", "metadata"}`. Their content is fitted to the schema by type; missing
values are not invented, except for an item's confidence.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from reasonloom.llm.coercion import coerced, conforms, member
from reasonloom.llm.interfaces import Reply
from reasonloom.llm.structured_output import decode_value, embedded_objects, mended, unfenced

DEFAULT_CONFIDENCE = 0.8
"""The reference's default confidence for a reply without one."""

THOUGHT = "thought"
"""The key of the text in replies of the reference's pipes."""

MOST_QUOTES = 3
"""Maximum levels of JSON quoted as a string within JSON."""


_SHARE = {"type": "number", "minimum": 0, "maximum": 1}
_KEYED = re.compile(r"[{\[]\s*(?:\{\s*)?\"[\w -]+\"\s*:")


@dataclass(frozen=True, slots=True)
class Content:
    """A reply's main text and its confidence, None if it gives none."""

    text: str
    confidence: float | None


def as_requested(reply: Reply, schema: dict[str, Any]) -> Reply:
    """Replace off-schema JSON in a reply with its content, fitted to `schema`.

    `text` becomes the main text, empty if the JSON has none; `parsed` becomes the object fitted
    to `schema`, None if the content does not suffice for it. Prose is returned unchanged.
    """
    if reply.parsed is not None:
        return reply
    try:
        value = _value_in(reply.text, [*_texts(schema), THOUGHT])
        if value is None:
            return reply
        text = _main_text(value, _texts(schema))
        if not text:
            return replace(reply, text="", off_schema=True)
        content = Content(text, _confidence_in(value))
        parsed = _fit(value, schema, content)
    except RecursionError:  # nested deeper than any real answer
        return reply
    return replace(reply, text=text, parsed=parsed, confidence=content.confidence, off_schema=True)


def _value_in(text: str, names: Sequence[str]) -> Any:
    """Return the JSON value of a text, or its last object with one of `names`; None for prose."""
    value = _json(text)
    for _ in range(MOST_QUOTES):
        if not isinstance(value, str) or (inner := _json(value)) is None:
            break
        value = inner
    if isinstance(value, str | dict | list):
        return value
    named = [each for each in embedded_objects(text) if any(name in each for name in names)]
    return named[-1] if named else _closing_json(text)


def _closing_json(text: str) -> Any:
    """Return the JSON, possibly malformed, at the end of a text if it is at least half of it."""
    found = _KEYED.search(text)
    if found is None or found.start() * 2 > len(text):
        return None
    body = text[found.start() :]
    whole = next(embedded_objects(body), None)
    behind = body.rpartition("}")[2] if whole is not None else ""
    return None if behind.strip("`~ \r\n") else next(mended(body), None)


def _json(text: str) -> Any:
    """Return the value of a text that is JSON as a whole, even malformed or cut off."""
    body = unfenced(text)
    try:
        return decode_value(body)
    except ValueError:
        body = body.removeprefix("```json").lstrip()
        return next(mended(body), None) if body.startswith(("{", "[")) else None


def _main_text(value: Any, names: Sequence[str]) -> str:
    """Return the text under one of `names` or `thought`, else the longest; lists are joined."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return "\n\n".join(filter(None, (_main_text(each, names) for each in value)))
    if not isinstance(value, dict):
        return ""
    texts = {
        key: each.strip()
        for key, each in value.items()
        if isinstance(each, str) and key != "confidence"
    }
    named = next((texts[name] for name in (*names, THOUGHT) if texts.get(name)), "")
    nested = (_main_text(each, names) for each in value.values() if not isinstance(each, str))
    return named or max(texts.values(), key=len, default="") or next(filter(None, nested), "")


def _confidence_in(value: Any) -> float | None:
    found = coerced(_fields(value).get("confidence"), _SHARE)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return float(found) if 0 <= found <= 1 else None


def _fields(value: Any) -> dict[str, Any]:
    """Return an object's fields merged with those of nested objects; outer ones win."""
    if isinstance(value, list) and len(value) == 1:
        return _fields(value[0])
    if not isinstance(value, dict):
        return {}
    fields: dict[str, Any] = {}
    for each in value.values():
        if isinstance(each, dict):
            fields = {**_fields(each), **fields}
    return {**fields, **value}


def _texts(schema: dict[str, Any]) -> list[str]:
    """Return the names of the required free-text properties."""
    properties = schema.get("properties", {})
    return [name for name in schema.get("required", ()) if _is_text(properties.get(name, {}))]


def _is_text(schema: dict[str, Any]) -> bool:
    return schema.get("type") == "string" and "enum" not in schema


def _fit(value: Any, schema: dict[str, Any], content: Content) -> dict[str, Any] | None:
    """Return an object for `schema` filled from `value`; None if the content does not suffice."""
    properties, fields = schema.get("properties", {}), _fields(value)
    fitted = {
        name: kept
        for name, each in properties.items()
        if name in fields and conforms(kept := coerced(fields[name], each), each)
    }
    missing = [name for name in schema.get("required", ()) if name not in fitted]
    texts = [name for name in missing if _is_text(properties[name])]
    if len(texts) == 1:
        fitted[texts[0]] = content.text
    placed = bool(texts) or any(name in fitted for name in _texts(schema))
    for name in missing:
        if name not in fitted:
            fitted[name] = _filled(name, properties[name], value, content, placed=placed)
    whole = placed or any(fitted[name] for name in missing)
    return fitted if whole and None not in fitted.values() else None


def _filled(
    name: str, schema: dict[str, Any], value: Any, content: Content, *, placed: bool
) -> Any:
    """Return the value of a missing property; None if the reply does not give it.

    `placed` is whether the main text already went to another property.
    """
    if name == "confidence":
        return content.confidence
    if "enum" in schema:
        return member(schema["enum"], [*_fields(value).values(), content.text])
    if schema.get("type") != "array":
        return None
    items = schema.get("items", {})
    if placed:
        return [] if items.get("type") == "string" or not schema.get("minItems") else None
    return _items(name, items, value, content) if items.get("type") == "object" else []


def _items(name: str, schema: dict[str, Any], value: Any, content: Content) -> list[Any] | None:
    """Return the reply's items that fit `schema`, or the reply as the only item; None if empty."""
    found = []
    for each in _list_in(name, value):
        text = _main_text(each, _texts(schema))
        confidence = _confidence_in(each) or content.confidence or DEFAULT_CONFIDENCE
        found.append(_fit(each, schema, Content(text, confidence)) if text else None)
    return [each for each in found if each is not None] or None


def _list_in(name: str, value: Any) -> list[Any]:
    """Return the list under `name`, or the only list of an object without other text."""
    if not isinstance(value, dict):
        return value if isinstance(value, list) else [value]
    lists = [each for each in value.values() if isinstance(each, list)]
    if isinstance(value.get(name), list):
        return [*value[name]]
    says_more = any(isinstance(each, str) and each.strip() for each in value.values())
    return lists[0] if len(lists) == 1 and not says_more else [value]
