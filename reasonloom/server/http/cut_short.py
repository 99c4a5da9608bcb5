"""Tells a caller whose call is cut by the server's end what it can do, instead of nothing."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from reasonloom.server.ending import ENDING, SAID

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = [
    (b"content-type", b"application/json"),
    (b"retry-after", b"1"),
    (b"connection", b"close"),
]


async def told_when_cut(
    app: ASGIApp, scope: Scope, receive: Receive, send: Send, body: bytes
) -> None:
    """Pass on a request with this body; where it is cut, tell so in the form that is still open."""
    answer = Answer(send)
    try:
        await app(scope, receive, answer)
    except asyncio.CancelledError:
        await answer.cut(json.loads(body).get("id"))


class Answer:
    """What has gone out of an answer: nothing yet, a stream that has begun, or all of it."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begun = self._streams = self._ended = False

    async def __call__(self, message: Message) -> None:
        """Send a part of the answer."""
        if message["type"] == "http.response.start":
            self._begun = True
            kind = dict(message["headers"]).get(b"content-type", b"")
            self._streams = kind.startswith(b"text/event-stream")
        else:
            self._ended = not message.get("more_body")
        await self._send(message)

    async def cut(self, identifier: str | int | None) -> None:
        """End with 503, or with the last event of a stream."""
        error = {"code": ENDING, "message": SAID}
        text = json.dumps({"jsonrpc": "2.0", "id": identifier, "error": error})
        if not self._begun:
            length = (b"content-length", str(len(text)).encode())
            head = {"status": 503, "headers": [*HEADERS, length]}
            await self({"type": "http.response.start", **head})
            await self({"type": "http.response.body", "body": text.encode()})
        elif self._streams and not self._ended:
            event = f"event: message\r\ndata: {text}\r\n\r\n".encode()
            await self({"type": "http.response.body", "body": event})
