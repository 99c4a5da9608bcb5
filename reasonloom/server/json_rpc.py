"""Repairs raw JSON-RPC that is valid JSON but dropped by the SDK, so that every id is answered.

A lone surrogate is valid in JSON but not in text; it becomes a noncharacter, which validation
then rejects with the field's name. An unreadable message is answered with its id if that is
certain, else with null: a guessed id could belong to another pending request.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from mcp_types import INVALID_REQUEST, PARSE_ERROR, JSONRPCNotification, jsonrpc_message_adapter
from pydantic import ValidationError

SURROGATE = re.compile("[\ud800-\udfff]")
NONCHARACTER = "\uffff"

DECODER = json.JSONDecoder()
OPENING = re.compile(r"[ \t\r\n]*\{[ \t\r\n]*")
COLON = re.compile(r"[ \t\r\n]*:[ \t\r\n]*")
SEPARATOR = re.compile(r"[ \t\r\n]*[,}][ \t\r\n]*")

HEAD_BYTES = 65_536
"""Bytes of a refused message searched for its id."""

MAX_MESSAGE_BYTES = 8 * 1024 * 1024
"""Maximum bytes of one message, over either transport."""

MAX_VALUES = 50_000
"""Maximum values (numbers, strings, lists, objects) per message: each costs time to parse."""

MAX_DEPTH = 250
STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.S)
PIECE = re.compile(rb'(?:[^"]*+' + STRING.pattern + rb"){1,5000}+|[^\"]+", re.S)
"""Up to 5,000 strings with the text between them, so that a message is scanned in pieces."""

NO_BRACKET = bytes(set(range(256)) - set(b"[]{}"))


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a message is refused, and the ids to answer."""

    code: int
    message: str
    ids: tuple[int | str | None, ...]


def error_body(
    identifier: int | str | None, code: int, message: str, **data: Any
) -> dict[str, Any]:
    """Return a JSON-RPC error as an object; `data` is left out if empty."""
    error = {"code": code, "message": message, **({"data": data} if data else {})}
    return {"jsonrpc": "2.0", "id": identifier, "error": error}


def repair(raw: bytes) -> bytes | Refusal:
    """Return a message that the SDK can read, or the refusal."""
    if reason := _too_complex(raw):
        return Refusal(INVALID_REQUEST, reason, (_certain_id(raw[:HEAD_BYTES]),))
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        reason = f"Parse error: the message is not UTF-8 (byte {error.start} of it)"
        return Refusal(PARSE_ERROR, reason, (_certain_id(raw),))
    if _is_message(raw):
        return raw
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return Refusal(PARSE_ERROR, "Parse error: the message is not JSON", (_certain_id(raw),))
    mended = None if _has_invalid_id(value) else _encode(value)
    if mended is not None and _is_message(mended):
        return mended
    return Refusal(INVALID_REQUEST, _reason(value), _ids(value))


def _too_complex(raw: bytes) -> str | None:
    """Return why a message would be too costly to parse, judged by its raw bytes, else None.

    Takes time linear in the bytes (some hundred million per second) and in `MAX_VALUES`.
    """
    if raw.count(b",") + raw.count(b"[") + raw.count(b"{") <= MAX_DEPTH:
        return None
    values = level = 0
    for piece in PIECE.finditer(raw):
        bare = STRING.sub(b"", piece.group())
        brackets = bare.translate(None, NO_BRACKET)
        values += bare.count(b",") + len(brackets)
        if values > MAX_VALUES:
            return f"Invalid request: a message has at most {MAX_VALUES:,} values"
        levels = [*accumulate((1 if each in b"[{" else -1 for each in brackets), initial=level)]
        if max(levels) > MAX_DEPTH:
            return f"Invalid request: a message is nested at most {MAX_DEPTH} levels deep"
        level = levels[-1]
    return None


def too_long(head: bytes) -> Refusal:
    """Return the refusal of an oversized message that starts with `head`."""
    reason = f"Invalid request: a message has at most {MAX_MESSAGE_BYTES} bytes"
    return Refusal(INVALID_REQUEST, reason, (_certain_id(head),))


def _is_message(raw: bytes) -> bool:
    """Return whether the SDK parses `raw` correctly; with a bad id it sees a notification."""
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
    if _has_invalid_id(value):
        return "Invalid request: id must be a string without lone surrogates, or a whole number"
    if value.get("jsonrpc") != "2.0":
        return 'Invalid request: jsonrpc must be "2.0"'
    return "Invalid request: the message has the wrong form or is nested too deeply"


def _ids(value: Any) -> tuple[int | str | None, ...]:
    messages = value if isinstance(value, list) else [value]
    ids = [message.get("id") for message in messages if isinstance(message, dict)]
    return tuple(_valid_id(each) for each in ids) or (None,)


def _has_invalid_id(value: Any) -> bool:
    return isinstance(value, dict) and "id" in value and _valid_id(value["id"]) is None


def _valid_id(value: Any) -> int | str | None:
    """Return an id that can be echoed unchanged, else None."""
    if isinstance(value, str):
        return None if SURROGATE.search(value) else value
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _certain_id(raw: bytes) -> int | str | None:
    """Return the id of a broken message, None unless it has exactly one."""
    text = raw.decode(errors="surrogateescape")
    ids = [value for name, value in _members(text) if name == "id"]
    return _valid_id(ids[0]) if len(ids) == 1 else None


def _members(text: str) -> Iterator[tuple[str, Any]]:
    """Yield the members of the object at the start of a text, up to the first syntax error."""
    mark = OPENING.match(text)
    with suppress(ValueError, RecursionError):
        while mark and "}" not in mark.group():
            name, end = DECODER.raw_decode(text, mark.end())
            colon = COLON.match(text, end)
            if colon is None or not isinstance(name, str):
                return
            value, end = DECODER.raw_decode(text, colon.end())
            # A value without a separator may be incomplete: 12 of 123.
            if mark := SEPARATOR.match(text, end):
                yield name, value


SHUTDOWN_CODE = -32000
SHUTDOWN_MESSAGE = (
    "The server is stopping and did not finish this request. Send it again;"
    " with the same idempotency key, nothing is done twice"
)
