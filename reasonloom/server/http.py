"""Serves over streamable HTTP: on loopback alone, unless callers prove who they are."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING, Any

import anyio

from reasonloom.errors import SettingMistake
from reasonloom.server.access.guard import Gate, Guarded, serve_metadata
from reasonloom.server.access.hosts import allowed, is_loopback
from reasonloom.server.access.verifier import make_verifier
from reasonloom.server.app import build_server
from reasonloom.server.health import LIVES, READY, serve_health
from reasonloom.server.room import AFTER_SIGNAL, EngineRoom, end_within
from reasonloom.server.tool import KEY
from reasonloom.server.wire import LONGEST, Refusal, mend, too_long

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from reasonloom.settings import Settings

PATH = "/mcp"
LARGEST_PORT = 65_535
HEAD = 65_536
GRACE = 5.0
"""Seconds that a call without an idempotency key goes on after its client went away."""

SESSION = b"mcp-session-id"
ROUTING = (b"content-length", b"transfer-encoding", b"mcp-method", b"mcp-name")
"""Headers that speak of a request's own body."""

LAST_CALLS = 2
"""Seconds that open calls and streams are given when the process is asked to end."""


def parse_address(address: str, *, proven: bool = False) -> tuple[str, int]:
    """Return host and port of `HOST:PORT`; `proven` where callers prove who they are.

    Raises:
        SettingMistake: not of that form, or a host that others can reach without proof.
    """
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    if not host or not (port.isascii() and port.isdigit()) or int(port) > LARGEST_PORT:
        raise SettingMistake("--http: must be HOST:PORT, such as 127.0.0.1:8321", field="--http")
    if not proven and not is_loopback(host):
        raise SettingMistake(
            "--http: only a loopback address (127.0.0.1, ::1 or localhost) is served without "
            "authentication; set REASONLOOM_TOKENS or REASONLOOM_OAUTH_ISSUER",
            field="--http",
        )
    return host, int(port)


class Mended:
    """ASGI middleware that mends request bodies, as the stdio transport mends lines.

    It also gives a client that goes away its time: a call with an idempotency key goes on,
    since its answer can be fetched by that key; any other is cancelled after `GRACE`.
    """

    def __init__(self, app: ASGIApp, gate: Gate) -> None:
        self._app = app
        self._gate = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, its body mended; what is no message, or not allowed, ends here."""
        if scope["type"] != "http" or scope["method"] != "POST" or scope["path"] != PATH:
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
        if refusal := self._gate.refusal(scope, mended):
            await refusal(scope, receive, send)
            return
        await self._app(scope, Patient(self._app, scope, receive, mended), send)


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


def make_app(room: EngineRoom, host: str) -> ASGIApp:
    """Return the whole application that is served.

    Raises:
        SettingMistake: what the settings say of who may do what cannot be used.
    """
    settings = room.settings
    server = build_server(room)
    serve_health(server, room)
    serve_metadata(server, settings)
    app = server.streamable_http_app(
        host=host,
        max_request_body_size=LONGEST,
        stateless_http=settings.stateless,
        transport_security=allowed(settings, host),
    )
    mended = Mended(app, Gate(server.needed, settings))
    verifier = make_verifier(settings)
    return Guarded(app, mended, verifier, settings, (LIVES, READY)) if verifier else mended


async def serve_http(
    settings: Settings,
    address: str,
    beside: Callable[[ASGIApp, EngineRoom, str], ASGIApp] | None = None,
) -> None:
    """Serve at `http://HOST:PORT/mcp` until the process is asked to end.

    `beside` puts something of its own around the application, for the same room and host.

    Raises:
        SettingMistake: the address, or what says who may do what, cannot be used.
    """
    host, port = parse_address(address, proven=make_verifier(settings) is not None)
    async with EngineRoom(settings) as room:
        app = make_app(room, host)
        room.warm_up()
        await serve_app(beside(app, room, host) if beside else app, host, port)


async def serve_app(app: ASGIApp, host: str, port: int) -> None:
    """Serve an application until the process is asked to end."""
    import uvicorn  # noqa: PLC0415 - stdio never needs it
    from sse_starlette.sse import AppStatus  # noqa: PLC0415

    # Else every stream is cut at the signal, and no open call has the time that it is given.
    AppStatus.disable_automatic_graceful_drain()  # type: ignore[no-untyped-call]

    class Server(uvicorn.Server):
        """A server that ends although a thread of ours hangs."""

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            end_within(AFTER_SIGNAL)
            super().handle_exit(sig, frame)

    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_level="warning",
        log_config=None,  # else uvicorn writes lines of its own, with tracebacks as they are
        lifespan="on",
        timeout_graceful_shutdown=LAST_CALLS,
    )
    # uvicorn raises the signal that ended it once more: without a receiver that would kill
    # the process before the room is closed and what it holds back is written.
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT):
        await Server(config).serve()
