"""How a server is asked for JSON: by its schema, as some object, or in words only.

Servers that nobody knows are tried with the schema. What one refuses or ignores is remembered for
as long as the process runs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import IntEnum
from typing import Any

from reasonloom.llm.messages import with_schema
from reasonloom.llm.providers.faults import AttemptFailed


class Form(IntEnum):
    """Forms of a request for JSON, from the strictest to the one that every server takes."""

    SCHEMA = 0
    OBJECT = 1
    WORDS = 2


class FormatRefused(AttemptFailed):
    """The server does not take this form of request for JSON."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, retryable=False)


REFUSING_STATUS = frozenset({400, 415, 422, 501})
_FORMAT = re.compile(
    r"response[_ ]?format|json[_ ]?(?:schema|object|mode)|structured[_ ]output|guided|grammar", re.I
)
_learned: dict[tuple[str, str], Form] = {}


def names_format(status: int, words: str) -> bool:
    """Return whether a server's error is about the form in which JSON was asked for."""
    return status in REFUSING_STATUS and _FORMAT.search(words) is not None


def learned_form(server: str, model: str, first: Form) -> Form:
    """Return the form to ask a model of a server in; `first` where nothing was learned of it."""
    return max(first, _learned.get((server, model), first))


def learn_refusal(server: str, model: str, refused: Form) -> None:
    """Remember that a model of a server refuses or ignores a form, and those stricter than it."""
    following = Form(min(refused + 1, Form.WORDS))
    _learned[server, model] = max(following, _learned.get((server, model), following))


def is_known_to_enforce(litellm: Any, model: str) -> bool:
    """Return whether litellm knows that a model holds to schemas."""
    return bool(litellm.supports_response_schema(model=model))


def first_form(litellm: Any, model: str) -> Form:
    """Return the strictest form that a model may take, as far as litellm knows."""
    if is_known_to_enforce(litellm, model):
        return Form.SCHEMA
    if "response_format" not in (litellm.get_supported_openai_params(model=model) or ()):
        return Form.WORDS
    provider = litellm.get_llm_provider(model)[1]
    compatible = provider == "openai" or provider in litellm.openai_compatible_providers
    return Form.SCHEMA if compatible else Form.OBJECT


def formatted(wire: list[dict[str, Any]], schema: dict[str, Any], form: Form) -> dict[str, Any]:
    """Return the parts of a request that ask for JSON: its format, and messages in words."""
    if form is Form.SCHEMA:
        held = enforceable(schema)
        named = {"name": "answer", "schema": held, "strict": is_strict(held)}
        return {"response_format": {"type": "json_schema", "json_schema": named}}
    messages = {"messages": with_schema(wire, schema)}
    if form is Form.OBJECT:
        return {**messages, "response_format": {"type": "json_object"}}
    return messages


_STRICT_WORDS = (
    "type properties required additionalProperties items enum const anyOf $ref $defs title "
    "description pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf "
    "minItems maxItems"
)
_ANCHORED = re.compile(r"\^.*\$", re.S)
_STRICT = frozenset(_STRICT_WORDS.split())
"""Keywords of OpenAI's strict mode (its guide to structured outputs)."""


def enforceable(schema: Any) -> Any:
    """Return `schema` as providers can enforce it.

    OpenAI's strict mode takes no lengths, no enumeration without a type and no optional
    properties: these may be null instead, and lists empty. Servers that make a grammar of the
    schema (llama.cpp) take no pattern without anchors. What is left out is still checked in the
    reply.
    """
    if not isinstance(schema, dict):
        return schema
    kept = {key: part for key, part in schema.items() if key not in ("minLength", "maxLength")}
    if not _ANCHORED.fullmatch(str(kept.get("pattern", "^$"))):
        del kept["pattern"]
    members = kept.get("enum", ())
    if members and all(isinstance(each, str) for each in members):
        kept["type"] = "string"
    for key in ("properties", "$defs"):
        if isinstance(kept.get(key), dict):
            kept[key] = {name: enforceable(part) for name, part in kept[key].items()}
    if kept.get("additionalProperties") is False:
        required = kept.get("required", ())
        kept["required"] = [*kept.get("properties", {})]
        for name in set(kept["required"]).difference(required):
            kept["properties"][name] = _nullable(kept["properties"][name])
    if isinstance(kept.get("anyOf"), list):
        kept["anyOf"] = [enforceable(part) for part in kept["anyOf"]]
    return kept | {"items": enforceable(kept["items"])} if "items" in kept else kept


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    return schema if schema.get("type") == "array" else {"anyOf": [schema, {"type": "null"}]}


def is_strict(schema: Mapping[str, Any]) -> bool:
    """Return whether a provider's strict mode takes `schema`: closed objects, all required."""
    if not _STRICT.issuperset(schema):
        return False
    names = schema.get("properties", {})
    if "properties" in schema or schema.get("type") == "object":
        closed = schema.get("additionalProperties") is False
        if not closed or set(schema.get("required", ())) != set(names):
            return False
    parts = [*names.values(), *schema.get("$defs", {}).values(), *schema.get("anyOf", ())]
    parts += [schema["items"]] if "items" in schema else []
    return all(isinstance(part, dict) and is_strict(part) for part in parts)
