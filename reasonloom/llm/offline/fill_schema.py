"""Reads a JSON Schema for the offline llm: what type to fill, with references laid open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]

MOST_STEPS = 16
"""References followed for one value before a schema counts as circular."""

_HINTS = {
    "object": ("properties", "required", "additionalProperties", "minProperties"),
    "array": ("items", "prefixItems", "minItems"),
    "number": ("minimum", "maximum", "multipleOf"),
}


class Unfillable(Exception):
    """No value that follows this part of a schema is found by rule."""


def resolved(schema: Schema, root: Schema) -> Schema:
    """Return `schema` with its references into `root` and its `allOf` parts laid into it."""
    for _ in range(MOST_STEPS):
        parts = [*schema.get("allOf", ())]
        if "$ref" in schema:
            parts.append(_pointed(schema["$ref"], root))
        if not parts:
            return schema
        schema = {k: v for k, v in schema.items() if k not in ("$ref", "allOf")}
        for part in parts:
            schema = merged(schema, part)
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


def merged(schema: Schema, part: Schema | bool) -> dict[str, Any]:
    """Lay `part` into `schema`: properties and required join, other keywords are replaced."""
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
    """Return the type to fill: the first that is not null, guessed where none is given."""
    given = schema.get("type")
    kinds = [given] if isinstance(given, str) else list(given or ())
    telling = [kind for kind in kinds if kind != "null"]
    if kinds:
        return str((telling or kinds)[0])
    return next((kind for kind, keys in _HINTS.items() if any(k in schema for k in keys)), "string")


def fixed_values(schema: Schema) -> list[Any]:
    """Return the values that the schema itself proposes; a text's default is no extract."""
    fixed = [schema["const"]] if "const" in schema else []
    if kind_of(schema) != "string" or "enum" in schema:
        fixed += [schema["default"]] if schema.get("default") is not None else []
    return fixed
