"""Converts messages to dicts of role and content, as OpenAI, Langbase and recordings use them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_core.messages import BaseMessage


def to_dicts(messages: Sequence[BaseMessage]) -> list[dict[str, Any]]:
    """Return the messages as `{"role": ..., "content": ...}`, oldest first."""
    from langchain_core.messages import convert_to_openai_messages  # noqa: PLC0415  # slow import

    converted = convert_to_openai_messages(list(messages))
    return converted if isinstance(converted, list) else [converted]


def text_of(wire: list[dict[str, Any]]) -> str:
    """Return all text of the messages, for counting tokens."""
    return "\n".join(_text(message.get("content")) for message in wire)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))


def schema_in_words(schema: dict[str, Any]) -> str:
    """Return the instruction to answer in `schema`, for providers that do not enforce it."""
    return (
        "Answer with one JSON object that follows this JSON Schema, and with nothing else:\n"
        + json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    )


def with_schema(wire: list[dict[str, Any]], schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the messages with `schema` written into the system message.

    For providers that do not enforce schemas; `wire` itself is not modified.
    """
    wish = schema_in_words(schema)
    if wire and wire[0]["role"] == "system":
        joined = f"{_text(wire[0].get('content'))}\n\n{wish}"
        return [{**wire[0], "content": joined}, *wire[1:]]
    return [{"role": "system", "content": wish}, *wire]
