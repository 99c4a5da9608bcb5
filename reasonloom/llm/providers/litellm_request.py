"""What is sent to litellm for a question: the strictest form of answer that a model takes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from reasonloom.llm.messages import to_wire, with_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reasonloom.llm.port import Ask

_STRICT_WORDS = (
    "type properties required additionalProperties items enum const anyOf $ref $defs title "
    "description pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf "
    "minItems maxItems"
)
_ANCHORED = re.compile(r"\^.*\$", re.S)
_STRICT = frozenset(_STRICT_WORDS.split())
"""Keywords that OpenAI's strict mode takes (its guide to structured outputs)."""


def request_for(litellm: Any, model: str, ask: Ask) -> dict[str, Any]:
    """Return the arguments of `acompletion` for `ask`, all but keys and limits."""
    wire = to_wire(ask.messages)
    request: dict[str, Any] = {"model": model, "messages": wire}
    if ask.temperature is not None:
        request["temperature"] = ask.temperature
    if ask.seed is not None:
        request["seed"] = ask.seed
    if ask.most_tokens is not None:
        request["max_tokens"] = ask.most_tokens
    if ask.schema is not None:
        request |= _form(litellm, model, wire, ask.schema)
    return request


def _form(
    litellm: Any, model: str, wire: list[dict[str, Any]], schema: dict[str, Any]
) -> dict[str, Any]:
    if litellm.supports_response_schema(model=model):
        held = enforceable(schema)
        named = {"name": "answer", "schema": held, "strict": is_strict(held)}
        return {"response_format": {"type": "json_schema", "json_schema": named}}
    told = {"messages": with_schema(wire, schema)}
    if "response_format" in (litellm.get_supported_openai_params(model=model) or ()):
        return {**told, "response_format": {"type": "json_object"}}
    return told


def enforceable(schema: Any) -> Any:
    """Return `schema` without the bounds of texts that providers cannot enforce.

    OpenAI's strict mode takes no lengths, and servers that make a grammar of the schema
    (llama.cpp) no pattern without anchors. What is left out still holds when the reply is read.
    """
    if not isinstance(schema, dict):
        return schema
    kept = {key: part for key, part in schema.items() if key not in ("minLength", "maxLength")}
    if not _ANCHORED.fullmatch(str(kept.get("pattern", "^$"))):
        del kept["pattern"]
    for key in ("properties", "$defs"):
        if isinstance(kept.get(key), dict):
            kept[key] = {name: enforceable(part) for name, part in kept[key].items()}
    if isinstance(kept.get("anyOf"), list):
        kept["anyOf"] = [enforceable(part) for part in kept["anyOf"]]
    return kept | {"items": enforceable(kept["items"])} if "items" in kept else kept


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
