"""Chooses how to request JSON from a server: by schema, as any object, or in the prompt only.

Unknown servers are first tried with the schema. Forms that a server refuses or ignores are
remembered for the life of the process.
"""

import re
from collections.abc import Mapping
from enum import IntEnum
from typing import Any

from reasonloom.llm.messages import with_schema
from reasonloom.llm.providers.faults import AttemptFailed


class Form(IntEnum):
    """Ways to request JSON, from the strictest to the one that every server accepts."""

    SCHEMA = 0
    OBJECT = 1
    WORDS = 2


class FormatRefused(AttemptFailed):
    """The server does not accept this way of requesting JSON."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, retryable=False)


REFUSING_STATUS = frozenset({400, 415, 422, 501})
_FORMAT = re.compile(
    r"response[_ ]?format|json[_ ]?(?:schema|object|mode)|structured[_ ]output|guided|grammar", re.I
)
_learned: dict[tuple[str, str], Form] = {}


def names_format(status: int, words: str) -> bool:
    """Return whether a server's error is about the requested response format."""
    return status in REFUSING_STATUS and _FORMAT.search(words) is not None


def learned_form(server: str, model: str, first: Form) -> Form:
    """Return the form to use for a server's model; `first` if nothing was learned about it."""
    return max(first, _learned.get((server, model), first))


def learn_refusal(server: str, model: str, refused: Form) -> None:
    """Record that a server's model refuses or ignores a form, and thus all stricter ones."""
    following = Form(min(refused + 1, Form.WORDS))
    _learned[server, model] = max(following, _learned.get((server, model), following))


def is_known_to_enforce(litellm: Any, model: str) -> bool:
    """Return whether litellm lists the model as enforcing schemas."""
    return bool(litellm.supports_response_schema(model=model))


def first_form(litellm: Any, model: str) -> Form:
    """Return the strictest form that a model may accept, as far as litellm knows."""
    if is_known_to_enforce(litellm, model):
        return Form.SCHEMA
    if "response_format" not in (litellm.get_supported_openai_params(model=model) or ()):
        return Form.WORDS
    provider = litellm.get_llm_provider(model)[1]
    compatible = provider == "openai" or provider in litellm.openai_compatible_providers
    return Form.SCHEMA if compatible else Form.OBJECT


def formatted(wire: list[dict[str, Any]], schema: dict[str, Any], form: Form) -> dict[str, Any]:
    """Return the request arguments for JSON: response format, and messages with the schema."""
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
"""Keywords allowed in OpenAI's strict mode (its guide to structured outputs)."""


def enforceable(schema: Any) -> Any:
    """Return `schema` reduced to the keywords that providers can enforce.

    OpenAI's strict mode accepts no lengths, no enum without a type and no optional properties,
    which become nullable instead (or empty, for lists). Servers that compile the schema to a
    grammar (llama.cpp) accept no pattern without anchors. Omitted constraints are still checked
    in the reply.
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
    """Return whether strict mode accepts `schema`: closed objects, all properties required."""
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
