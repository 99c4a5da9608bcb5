"""Takes posted messages before the SDK does: mended, gated, and patient with who goes away."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import anyio

from reasonloom.server.http.cut_short import told_when_cut
from reasonloom.server.json_rpc import LONGEST, Refusal, mend, too_long
from reasonloom.server.tool import KEY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from reasonloom.server.http.guard import Gate

HEAD = 65_536
GRACE = 5.0
"""Seconds that a call without an idempotency key goes on after its client went away."""

SESSION = b"mcp-session-id"
ROUTING = (b"content-length", b"transfer-encoding", b"mcp-method", b"mcp-name")
"""Headers that speak of a request's own body."""


class Mended:
    """ASGI middleware that mends request bodies, as the stdio transport mends lines.

    It also gives a client that goes away its time: a call with an idempotency key goes on,
    since its answer can be fetched by that key; any other is cancelled after `GRACE`.
    """

    def __init__(self, app: ASGIApp, gates: Mapping[str, Gate]) -> None:
        """Take what is posted to a path that has a gate."""
        self._app = app
        self._gates = gates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, its body mended; what is no message, or not allowed, ends here."""
        gate = self._gate(scope)
        if gate is None:
            await self._app(scope, receive, send)
            return
        body = await _read(receive)
        if body is None:
            return
        mended = mend(body) if len(body) <= LONGEST else too_long(body[:HEAD])
        if isinstance(mended, Refusal):
            status = 400 if len(body) <= LONGEST else 413
            await _refuse(mended, status, send)
            return
        if refusal := gate.refusal(scope, mended):
            await refusal(scope, receive, send)
            return
        patient = Patient(self._app, scope, receive, mended)
        await told_when_cut(self._app, scope, patient, send, mended)

    def _gate(self, scope: Scope) -> Gate | None:
        posted = scope["type"] == "http" and scope["method"] == "POST"
        return self._gates.get(scope["path"]) if posted else None


class Patient:
    """The messages of one request, of which a disconnect comes late or not at all."""

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
            return _whole(self._body)
        message = await self._receive()
        call = _call(self._body) if message["type"] == "http.disconnect" else None
        if call is None:
            return message
        if _keyed(call):
            await anyio.sleep_forever()  # the SDK ends this wait when the call is done
        await anyio.sleep(GRACE)
        if any(name == SESSION for name, _ in self._scope["headers"]):
            await self._cancel(call["id"])
        return message

    async def _cancel(self, identifier: int | str) -> None:
        """Cancel a call of a session, which would outlive its stream."""
        note = {
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": identifier, "reason": "the client is gone"},
        }
        body = json.dumps(note).encode()
        headers = [each for each in self._scope["headers"] if each[0] not in ROUTING]
        length = (b"content-length", str(len(body)).encode())
        scope = {**self._scope, "headers": [*headers, length]}
        waiting = [_whole(body)]

        async def replay() -> Message:
            return waiting.pop() if waiting else await self._receive()

        await self._app(scope, replay, _unheard)


async def _unheard(message: Message) -> None:
    """Let an answer go to nobody."""


def _whole(body: bytes) -> Message:
    return {"type": "http.request", "body": body, "more_body": False}


def _call(body: bytes) -> dict[str, Any] | None:
    """Return the message where it calls a tool."""
    message: dict[str, Any] = json.loads(body)
    return message if message.get("method") == "tools/call" and "id" in message else None


def _keyed(call: dict[str, Any]) -> bool:
    """Tell whether a call carries an idempotency key; an ill-formed one is refused anyway."""
    meta = (call.get("params") or {}).get("_meta")
    return isinstance(meta, dict) and meta.get(KEY) is not None


async def _refuse(refusal: Refusal, status: int, send: Send) -> None:
    """Answer a body that is no message with a JSON-RPC error, under its id where it has one."""
    identifier = refusal.ids[0] if len(refusal.ids) == 1 else None
    error = {"code": refusal.code, "message": refusal.message}
    body = json.dumps({"jsonrpc": "2.0", "id": identifier, "error": error}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _read(receive: Receive) -> bytes | None:
    """Return the body, cut off where it is too long; None where the client went away."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if not message.get("more_body") or size > LONGEST:
            return b"".join(parts)
