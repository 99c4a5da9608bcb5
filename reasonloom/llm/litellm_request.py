"""What is sent to litellm for a question: the strictest form of answer that a model takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reasonloom.llm.wire import to_wire, with_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reasonloom.llm.port import Ask

_STRICT_WORDS = (
    "type properties required additionalProperties items enum const anyOf $ref $defs title "
    "description pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf "
    "minItems maxItems"
)
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
    if ask.schema is not None:
        request |= _form(litellm, model, wire, ask.schema)
    return request


def _form(
    litellm: Any, model: str, wire: list[dict[str, Any]], schema: dict[str, Any]
) -> dict[str, Any]:
    if litellm.supports_response_schema(model=model):
        named = {"name": "answer", "schema": schema, "strict": is_strict(schema)}
        return {"response_format": {"type": "json_schema", "json_schema": named}}
    told = {"messages": with_schema(wire, schema)}
    if "response_format" in (litellm.get_supported_openai_params(model=model) or ()):
        return {**told, "response_format": {"type": "json_object"}}
    return told


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
