"""Handles posted messages before the SDK: repair, scopes, disconnects, shutdown."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import anyio
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reasonloom.server.http.access_log import note_message
from reasonloom.server.http.guard import ScopeGate
from reasonloom.server.http.session_limits import discard
from reasonloom.server.json_rpc import (
    HEAD_BYTES,
    MAX_MESSAGE_BYTES,
    SHUTDOWN_CODE,
    SHUTDOWN_MESSAGE,
    Refusal,
    error_body,
    repair,
    too_long,
)
from reasonloom.server.tool import IDEMPOTENCY_KEY

HEADERS = [
    (b"content-type", b"application/json"),
    (b"retry-after", b"1"),
    (b"connection", b"close"),
]


async def answer_when_cancelled(
    app: ASGIApp, scope: Scope, receive: Receive, send: Send, identifier: str | int | None
) -> None:
    """Handle a request; if it is cancelled, answer so in whatever form is still possible."""
    answer = OpenAnswer(send)
    try:
        await app(scope, receive, answer)
    except asyncio.CancelledError:
        await answer.cut(identifier)


class OpenAnswer:
    """Tracks how much of an answer was sent: nothing, the start of a stream, or all of it."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begun = self._streams = self._ended = False

    async def __call__(self, message: Message) -> None:
        """Track and send a part of the answer."""
        if message["type"] == "http.response.start":
            self._begun = True
            kind = dict(message["headers"]).get(b"content-type", b"")
            self._streams = kind.startswith(b"text/event-stream")
        else:
            self._ended = not message.get("more_body")
        await self._send(message)

    async def cut(self, identifier: str | int | None) -> None:
        """End the answer with a 503, or with a last event if it is a stream."""
        text = json.dumps(error_body(identifier, SHUTDOWN_CODE, SHUTDOWN_MESSAGE))
        if not self._begun:
            length = (b"content-length", str(len(text)).encode())
            head = {"status": 503, "headers": [*HEADERS, length]}
            await self({"type": "http.response.start", **head})
            await self({"type": "http.response.body", "body": text.encode()})
        elif self._streams and not self._ended:
            event = f"event: message\r\ndata: {text}\r\n\r\n".encode()
            await self({"type": "http.response.body", "body": event})


GRACE_SECONDS = 5.0
"""Seconds that a call without an idempotency key continues after a disconnect."""

SESSION = b"mcp-session-id"
BODY_HEADERS = (b"content-length", b"transfer-encoding", b"mcp-method", b"mcp-name")
"""Headers that depend on the request body."""


class RequestMiddleware:
    """ASGI middleware that repairs request bodies, as the stdio transport repairs lines.

    When a client disconnects, a call with an idempotency key continues, since its answer can be
    fetched with that key; any other call is cancelled after `GRACE_SECONDS`.
    """

    def __init__(self, app: ASGIApp, gates: Mapping[str, ScopeGate]) -> None:
        """Handle messages posted to a path with a gate."""
        self._app = app
        self._gates = gates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request with its body repaired; refuse an invalid or forbidden one."""
        gate = self._gate(scope)
        if gate is None:
            await self._app(scope, receive, send)
            return
        body = await _read(receive)
        if body is None:
            return
        mended = await _repair(body)
        if isinstance(mended, Refusal):
            status = 400 if len(body) <= MAX_MESSAGE_BYTES else 413
            await _refuse(mended, status, send)
            return
        identifier, refusal = _examined(gate, scope, mended)
        if refusal:
            await refusal(scope, receive, send)
            return
        patient = DelayedDisconnect(self._app, scope, receive, mended)
        await answer_when_cancelled(self._app, scope, patient, send, identifier)

    def _gate(self, scope: Scope) -> ScopeGate | None:
        posted = scope["type"] == "http" and scope["method"] == "POST"
        return self._gates.get(scope["path"]) if posted else None


def _examined(
    gate: ScopeGate, scope: Scope, body: bytes
) -> tuple[str | int | None, Response | None]:
    """Return a message's id and its refusal, if any, and note the message for the access log."""
    message = json.loads(body)
    name = (message.get("params") or {}).get("name")
    note_message(scope, message.get("method"), name, gate.tools)
    return message.get("id"), gate.refusal(scope, message, len(body))


async def _repair(body: bytes) -> bytes | Refusal:
    """Repair a body, in a thread if it is large."""
    if len(body) > MAX_MESSAGE_BYTES:
        return too_long(body[:HEAD_BYTES])
    return repair(body) if len(body) <= HEAD_BYTES else await asyncio.to_thread(repair, body)


class DelayedDisconnect:
    """The messages of one request, with disconnects delayed or suppressed."""

    def __init__(self, app: ASGIApp, scope: Scope, receive: Receive, body: bytes) -> None:
        self._app = app
        self._scope = scope
        self._receive = receive
        self._body = body
        self._begun = False

    async def __call__(self) -> Message:
        """Return the next message."""
        if not self._begun:
            self._begun = True
            return _full_body(self._body)
        message = await self._receive()
        call = _tool_call(self._body) if message["type"] == "http.disconnect" else None
        if call is None:
            return message
        if _has_key(call):
            await anyio.sleep_forever()  # the SDK cancels this wait when the call is done
        await anyio.sleep(GRACE_SECONDS)
        if any(name == SESSION for name, _ in self._scope["headers"]):
            await self._cancel(call["id"])
        return message

    async def _cancel(self, identifier: int | str) -> None:
        """Cancel a call in a session, which would otherwise outlive its stream."""
        note = {
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": identifier, "reason": "the client is gone"},
        }
        body = json.dumps(note).encode()
        headers = [each for each in self._scope["headers"] if each[0] not in BODY_HEADERS]
        length = (b"content-length", str(len(body)).encode())
        scope = {**self._scope, "headers": [*headers, length]}
        waiting = [_full_body(body)]

        async def replay() -> Message:
            return waiting.pop() if waiting else await self._receive()

        await self._app(scope, replay, discard)


def _full_body(body: bytes) -> Message:
    return {"type": "http.request", "body": body, "more_body": False}


def _tool_call(body: bytes) -> dict[str, Any] | None:
    """Return the message if it calls a tool."""
    message: dict[str, Any] = json.loads(body)
    return message if message.get("method") == "tools/call" and "id" in message else None


def _has_key(call: dict[str, Any]) -> bool:
    """Return whether a call has an idempotency key; an invalid key is refused later."""
    meta = (call.get("params") or {}).get("_meta")
    return isinstance(meta, dict) and meta.get(IDEMPOTENCY_KEY) is not None


async def _refuse(refusal: Refusal, status: int, send: Send) -> None:
    """Answer an invalid body with a JSON-RPC error, with its id if it has one."""
    identifier = refusal.ids[0] if len(refusal.ids) == 1 else None
    body = json.dumps(error_body(identifier, refusal.code, refusal.message)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _read(receive: Receive) -> bytes | None:
    """Return the body, truncated if it is too long; None if the client disconnected."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if not message.get("more_body") or size > MAX_MESSAGE_BYTES:
            return b"".join(parts)
