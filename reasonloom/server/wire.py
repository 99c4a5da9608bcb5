"""Reads raw JSON-RPC: mends what JSON allows and the SDK drops, so that every id is answered.

A lone surrogate is valid JSON but no text; it becomes a noncharacter, which the door then
refuses by the field's name. What cannot be read at all is answered with its id.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from mcp_types import INVALID_REQUEST, PARSE_ERROR, JSONRPCNotification, jsonrpc_message_adapter
from pydantic import ValidationError

SURROGATE = re.compile("[\ud800-\udfff]")
NONCHARACTER = "\uffff"
ID = re.compile(rb'"id"\s*:\s*(-?\d{1,15}|"[^"\\]{0,200}")')


LONGEST = 8 * 1024 * 1024
"""Bytes that one message may have, over either transport."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a message cannot be taken, and the ids that are waiting for an answer."""

    code: int
    message: str
    ids: tuple[int | str | None, ...]


def mend(raw: bytes) -> bytes | Refusal:
    """Return a message that the SDK can read, or why there is none in `raw`."""
    if _is_message(raw):
        return raw
    try:
        value = json.loads(raw.decode(errors="replace"))
    except (ValueError, RecursionError):
        return Refusal(PARSE_ERROR, "Parse error: the message is not JSON", (_guess_id(raw),))
    mended = _encode(value)
    if mended is not None and _is_message(mended):
        return mended
    return Refusal(INVALID_REQUEST, _reason(value), _ids(value))


def too_long(head: bytes) -> Refusal:
    """Return why a message that begins with `head` is not read to its end."""
    found = ID.search(head)
    nested = found is None or head.count(b"{", 0, found.start()) > 1  # not the message's own
    said = f"Invalid request: a message has at most {LONGEST} bytes"
    return Refusal(INVALID_REQUEST, said, (None if nested else _guess_id(head),))


def _is_message(raw: bytes) -> bool:
    """Tell whether the SDK reads `raw` as what it is: a bad id makes a request a notification."""
    try:
        message = jsonrpc_message_adapter.validate_json(raw, by_name=False)
    except ValidationError:
        return False
    return not isinstance(message, JSONRPCNotification) or "id" not in json.loads(raw)


def _encode(value: Any) -> bytes | None:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return None
    return SURROGATE.sub(NONCHARACTER, text).encode()


def _reason(value: Any) -> str:
    if isinstance(value, list):
        return "Invalid request: batches are not part of this protocol; send one message a line"
    if not isinstance(value, dict):
        return "Invalid request: a message is an object"
    if "id" in value and _fitting(value["id"]) is None:
        return "Invalid request: id must be a string or a whole number"
    if value.get("jsonrpc") != "2.0":
        return 'Invalid request: jsonrpc must be "2.0"'
    return "Invalid request: the message has the wrong form or is nested too deeply"


def _ids(value: Any) -> tuple[int | str | None, ...]:
    messages = value if isinstance(value, list) else [value]
    ids = [message.get("id") for message in messages if isinstance(message, dict)]
    return tuple(_fitting(each) for each in ids) or (None,)


def _fitting(value: Any) -> int | str | None:
    if isinstance(value, str):
        return SURROGATE.sub(NONCHARACTER, value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _guess_id(raw: bytes) -> int | str | None:
    """Return the first id that a broken message seems to have."""
    found = ID.search(raw)
    if not found:
        return None
    text = found.group(1).decode(errors="replace")
    return text[1:-1] if text.startswith('"') else int(text)
