"""What a tool takes and answers, as tables: of each field its type, bounds, default and meaning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from reasonloom.contracts.base import Answer
from tests.support.toolpages.texts import MEANINGS

DEEPEST = 4
"""Levels of an answer that are told; what lies deeper is plain in the example."""

Schema = dict[str, Any]


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Return a Markdown table."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cell(each) for each in line) + " |" for line in lines)


def cell(text: str) -> str:
    """Return a text that stands in one cell."""
    return " ".join(text.split()).replace("|", "\\|")


def arguments(schema: Schema, beyond: set[str]) -> str:
    """Return the table of arguments; `beyond` are those that the reference does not have."""
    rows = [
        (f"`{path}`", type_of(each), "yes" if needed else _default(each),
         _meaning(path, each, path in beyond))
        for path, each, needed in fields(schema)
    ]  # fmt: skip
    return table(("argument", "type", "required, or default", "meaning"), rows) if rows else ""


def answer(model: type[Answer]) -> str:
    """Return the table of what is answered."""
    schema = documented(model)
    rows = [
        (f"`{path}`", type_of(each), "always" if needed else "sometimes", _description(each))
        for path, each, needed in fields(schema)
    ]  # fmt: skip
    if not any(row[3] for row in rows):
        return table(("field", "type", "there"), [row[:3] for row in rows])
    return table(("field", "type", "there", "meaning"), rows)


def documented(model: type[Answer]) -> Schema:
    """Return an answer's schema without references, where objects say what they are."""
    raw = model.model_json_schema(by_alias=True, mode="serialization")
    return dict(_resolved(raw, raw.get("$defs", {})))


def _resolved(node: Any, known: Schema) -> Any:
    if isinstance(node, list):
        return [_resolved(each, known) for each in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        node = {**known[node["$ref"].rsplit("/", 1)[-1]], **node}
        del node["$ref"]
    return {name: _resolved(each, known) for name, each in node.items() if name != "$defs"}


def _description(schema: Schema) -> str:
    """Return what a field, or the object within it, says of itself."""
    if said := schema.get("description"):
        return str(said)
    if "items" in schema:
        return _description(schema["items"])
    return next((said for each in schema.get("anyOf", ()) if (said := _description(each))), "")


def fields(schema: Schema, path: str = "", depth: int = 1) -> Iterator[tuple[str, Schema, bool]]:
    """Yield path, schema and whether it is always there, of each field and those within."""
    for name, each in schema.get("properties", {}).items():
        yield path + name, each, name in schema.get("required", ())
        if depth < DEEPEST:
            inner, mark = _within(each)
            yield from fields(inner, f"{path}{name}{mark}.", depth + 1)


def _within(schema: Schema) -> tuple[Schema, str]:
    """Return the object inside a field, and how the path to it is written."""
    for branch in schema.get("anyOf", ()):
        inner, mark = _within(branch)
        if inner.get("properties"):
            return inner, mark
    if "items" in schema:
        inner, mark = _within(schema["items"])
        return inner, f"[]{mark}"
    if isinstance(schema.get("additionalProperties"), dict):
        inner, mark = _within(schema["additionalProperties"])
        return inner, f".*{mark}"
    return schema, ""


def type_of(schema: Schema) -> str:
    """Return a type in words, with its bounds."""
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(type_of(each) for each in schema["anyOf"]))
    if "enum" in schema:
        return ", ".join(f"`{each}`" for each in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`".replace("True", "true")
    if schema.get("type") == "array":
        of = f" of {type_of(schema['items'])}" if schema.get("items") else ""
        return f"list{of}{_bounds(schema, 'Items', ' items')}"
    kind = str(schema.get("type", "any"))
    if schema.get("format"):
        kind += f" ({schema['format']})"
    return kind + _bounds(schema, "Length", " characters") + _range(schema)


def _bounds(schema: Schema, what: str, unit: str) -> str:
    least, most = schema.get(f"min{what}"), schema.get(f"max{what}")
    if least is not None and least == most:
        return f", {least}{unit}"
    if least is not None and most is not None:
        return f", {least} to {most}{unit}"
    if most is not None:
        return f", at most {most}{unit}"
    return f", at least {least}{unit}" if least is not None else ""


def _range(schema: Schema) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    above = schema.get("exclusiveMinimum")
    if most == 2**63 - 1:
        return f", from {least}"
    if least is not None and most is not None:
        return f", {least:g} to {most:g}" if most < 10**6 else f", {least} to {most:,}"
    if above is not None:
        return f", above {above}" + (f", at most {most}" if most is not None else "")
    return f", from {least}" if least is not None else ""


def _default(schema: Schema) -> str:
    if "default" not in schema:
        return ""
    value = schema["default"]
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _meaning(path: str, schema: Schema, beyond: bool) -> str:
    said = schema.get("description") or MEANINGS[path.rsplit(".", 1)[-1]]
    return f"{said} (not under `--as`)".strip() if beyond else said
