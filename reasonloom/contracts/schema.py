"""Publishes a model as the flat JSON Schema that agents read: no titles, no references.

Building the schemas of all served tools takes longer than the rest of a server's start. Those of
the packaged contracts are therefore kept in `published.tsv`, which `make snapshots` writes: the
name of a model, `request` or `answer`, and the schema as JSON.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from reasonloom.contracts.base import LIST_LIMIT, NAME_LIMIT

CONSTRAINTS = {"ge": "minimum", "le": "maximum"}
"""Pydantic names a bound so where a validator stands before the type."""


LARGE = {"maxLength": NAME_LIMIT, "maxItems": LIST_LIMIT}
"""Bounds from here on are our own, and not told: hardly a call comes near them, each costs tokens,
and what goes beyond is refused with a sentence that names it."""


KEPT = Path(__file__).with_name("published.tsv")


def publish(model: type[BaseModel], *, answer: bool = False) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of `model`.

    Requests say what they take; an `answer`'s schema says what is always there and leaves
    room for more keys. Every published schema is plain: definitions are written where they
    are used, an optional field of a request is its own type, descriptions come from the
    fields.
    """
    kept = _kept().get(name_of(model, answer=answer))
    return json.loads(kept) if kept else build(model, answer=answer)


def name_of(model: type[BaseModel], *, answer: bool) -> str:
    """Return the words that precede a model's schema in `published.tsv`."""
    return f"{model.__module__}.{model.__qualname__}\t{'answer' if answer else 'request'}"


@cache
def _kept() -> Mapping[str, str]:
    """Return the kept schemas by the words that precede them."""
    lines = KEPT.read_text(encoding="utf-8").split("\n")
    return {name: text for name, _, text in (line.rpartition("\t") for line in lines)}


def build(model: type[BaseModel], *, answer: bool = False) -> dict[str, Any]:
    """Return what `publish` returns, built from the model."""
    raw = model.model_json_schema(by_alias=True, mode="serialization" if answer else "validation")
    definitions: dict[str, Any] = raw.pop("$defs", {})
    plain: dict[str, Any] = _plain(raw, definitions, answer=answer)
    plain.pop("description", None)
    return plain


def _plain(node: Any, definitions: dict[str, Any], *, answer: bool) -> Any:
    if isinstance(node, list):
        return [_plain(item, definitions, answer=answer) for item in node]
    if not isinstance(node, dict):
        return node
    node = _resolved(node if answer else _without_null(node), definitions)
    return {
        CONSTRAINTS.get(key, key): {
            name: _plain(value, definitions, answer=answer) for name, value in item.items()
        }
        if key == "properties"
        else _plain(item, definitions, answer=answer)
        for key, item in node.items()
        if key != "title" and (answer or not _says_nothing(key, item))
    }


def _says_nothing(key: str, value: Any) -> bool:
    """Tell whether a keyword can be left out: a large bound, or that an object is open."""
    if key == "additionalProperties":
        return value is True
    return key in LARGE and isinstance(value, int) and value >= LARGE[key]


def _resolved(node: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """Return `node` with its reference, where it has one, replaced by what it refers to."""
    if "$ref" not in node:
        return node
    target = dict(definitions[node["$ref"].rsplit("/", 1)[-1]])
    target.pop("description", None)
    return {**target, **{key: value for key, value in node.items() if key != "$ref"}}


def _without_null(node: dict[str, Any]) -> dict[str, Any]:
    """Return an optional field's schema without its null branch and null default."""
    branches = [branch for branch in node.get("anyOf", ()) if branch != {"type": "null"}]
    if len(branches) != 1 or len(branches) == len(node.get("anyOf", ())):
        return node
    rest = {key: value for key, value in node.items() if key != "anyOf"}
    if rest.get("default", 0) is None:
        del rest["default"]
    return {**branches[0], **rest}
