"""Serves over streamable HTTP, on loopback alone while nobody proves who they are."""

from __future__ import annotations

import ipaddress
import signal
from typing import TYPE_CHECKING, Any

import anyio

from reasonloom.errors import SettingMistake
from reasonloom.server.app import build_server
from reasonloom.server.room import EngineRoom
from reasonloom.server.wire import mend

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from reasonloom.settings import Settings

PATH = "/mcp"
LARGEST_PORT = 65_535
LAST_CALLS = 2
"""Seconds that open calls and streams are given when the process is asked to end."""


def parse_address(address: str) -> tuple[str, int]:
    """Return host and port of `HOST:PORT`.

    Raises:
        SettingMistake: not of that form, or a host that others can reach.
    """
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    if not host or not (port.isascii() and port.isdigit()) or int(port) > LARGEST_PORT:
        raise SettingMistake("--http: must be HOST:PORT, such as 127.0.0.1:8321", field="--http")
    if not _is_loopback(host):
        raise SettingMistake(
            "--http: only a loopback address (127.0.0.1, ::1 or localhost) is served without "
            "authentication",
            field="--http",
        )
    return host, int(port)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Mended:
    """ASGI middleware that mends request bodies, as the stdio transport mends lines."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, its body mended where it is a message at all."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        body, rest = await _read(receive)
        mended = mend(body)
        first: Message = {
            "type": "http.request",
            "body": mended if isinstance(mended, bytes) else body,
            "more_body": False,
        }
        waiting = [first, *rest]

        async def replay() -> Message:
            return waiting.pop(0) if waiting else await receive()

        await self._app(scope, replay, send)


LARGEST_BODY = 4 * 1024 * 1024


async def _read(receive: Receive) -> tuple[bytes, list[Message]]:
    """Return the body, and what came instead of its end: a disconnect, or too much."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b"".join(parts), [message]
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if not message.get("more_body") or size > LARGEST_BODY:
            return b"".join(parts), []


async def serve_http(settings: Settings, address: str) -> None:
    """Serve at `http://HOST:PORT/mcp` until the process is asked to end.

    Raises:
        SettingMistake: the address is ill-formed or not loopback.
    """
    import uvicorn  # noqa: PLC0415 - stdio never needs it

    host, port = parse_address(address)
    async with EngineRoom(settings) as room:
        app: Any = Mended(build_server(room).streamable_http_app(host=host))
        room.warm_up()
        config = uvicorn.Config(
            app,
            host=host,
            port=port,
            log_level="warning",
            lifespan="on",
            timeout_graceful_shutdown=LAST_CALLS,
        )
        # uvicorn raises the signal that ended it once more: without a receiver that would kill
        # the process before the room is closed and what it holds back is written.
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT):
            await uvicorn.Server(config).serve()
