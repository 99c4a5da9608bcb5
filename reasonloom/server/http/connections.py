"""Limits the number of connections and the time of each, before authentication.

uvicorn waits indefinitely for the rest of a request, and counts connections only once a request's
head is complete. So any client could exhaust the file descriptors with half a line on each.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from reasonloom.server.http.connection_limits import (
    BODY,
    HEAD,
    ConnectionLimits,
    Limits,
    ThrottledWarning,
    WriteTimeout,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as Known
else:
    Known = object  # stdio needs no uvicorn

log = logging.getLogger(__name__)
MAX_CONNECTIONS = 10_000
MAX_BACKLOG = 2_048
"""Maximum concurrent connections, and accept backlog, even if the system allows more."""

TIMEOUT_TEXT = b"The request did not come in time."
TIMEOUT_RESPONSE = (
    b"HTTP/1.1 408 Request Timeout\r\ncontent-type: text/plain\r\nconnection: close\r\n"
    b"content-length: %d\r\n\r\n%s" % (len(TIMEOUT_TEXT), TIMEOUT_TEXT)
)


class BoundedProtocol(Known):
    """Closes a connection whose request does not arrive, or whose answer is not read, in time.

    A mixin for either of uvicorn's HTTP protocols; `bounded_protocol` combines them.
    """

    crowd: ConnectionLimits
    _awaits: str | None = None
    _timer: asyncio.TimerHandle | None = None
    _since = 0.0
    _came = 0
    _head: int | None = None
    _rest: int | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection and start waiting for a request."""
        super().connection_made(transport)
        limits, late = self.crowd.limits, self.crowd.unread.count
        self._unread = WriteTimeout(self.loop, transport, limits.body, limits.body_rate, late)
        if len(self.connections) > limits.most:
            self.crowd.make_room(self)
        if not transport.is_closing():
            self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all timers."""
        super().connection_lost(exc)
        self._unread.end()
        self._watch()

    def pause_writing(self) -> None:
        """Start waiting for the answer to be read."""
        super().pause_writing()
        self._unread.begin()

    def resume_writing(self) -> None:
        """Stop waiting: the answer was read."""
        super().resume_writing()
        if not self.transport.is_closing():
            self._unread.end()

    def data_received(self, data: bytes) -> None:
        """Handle data within the size limits."""
        self._came += len(data)
        if self._head is not None:
            self._head += len(data)
        if self._rest is not None:
            self._rest += len(data)
        super().data_received(data)
        if self._head is not None and self._head > self.crowd.limits.head_bytes:
            self.send_400_response("The head of the request is too long.")
        if self._rest is not None and self._rest > self.crowd.limits.rest_bytes:
            self.transport.abort()
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._watch()

    def on_message_begin(self) -> None:
        """Start counting the head, which httptools does not limit."""
        self._head = 0
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Ignore trailers: they are unchecked and unlimited."""
        if self._head is not None:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start counting what follows the head."""
        self._head, self._rest = None, 0
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Stop counting: the request is complete."""
        self._rest = None
        super().on_message_complete()

    def _watch(self) -> None:
        """Restart the timer when something else is awaited."""
        awaits = self._awaited()
        if awaits == self._awaits:
            return
        self._awaits = awaits
        if self._timer is not None:
            self._timer.cancel()
        wait = self.crowd.seconds.get(awaits or "")
        self._timer = self.loop.call_later(wait, self._end) if wait else None
        self._since, self._came = self.loop.time(), 0
        self.crowd.waiting.pop(self, None)
        if awaits == HEAD:
            self.crowd.waiting[self] = None

    def _awaited(self) -> str | None:
        """Return what the client must send next; None while we are answering."""
        if self not in self.connections:  # lost, or upgraded to a WebSocket
            return None
        if self.cycle is None or self.cycle.response_complete:
            return HEAD
        return BODY if self.cycle.more_body else None

    def _end(self) -> None:
        if self._awaits == BODY and (more := self._earned()) > 0:
            self._timer = self.loop.call_later(more, self._end)
            return
        self.crowd.late.count()
        if self._awaits == BODY and not self.cycle.response_started:
            self.transport.write(TIMEOUT_RESPONSE)
        self.transport.close()
        self._unread.begin()

    def _earned(self) -> float:
        """Return the seconds left for a body, by the bytes received."""
        limits = self.crowd.limits
        allowed = limits.body + self._came / limits.body_rate
        return allowed - (float(self.loop.time()) - self._since)


def bounded_protocol(limits: Limits, base: Any = None) -> type[asyncio.Protocol]:
    """Return uvicorn's HTTP protocol (or `base`, one of its two) with `limits` applied."""
    from uvicorn.protocols.http.auto import AutoHTTPProtocol  # noqa: PLC0415 - stdio has none

    return type(
        "Bounded", (BoundedProtocol, base or AutoHTTPProtocol), {"crowd": ConnectionLimits(limits)}
    )


def uvicorn_limits() -> dict[str, Any]:
    """Return arguments for uvicorn's `Config` that allow far fewer connections than open files."""
    files = _max_open_files()
    limits = Limits(min(MAX_CONNECTIONS, files // 2))
    # asyncio accepts a whole backlog at once, before any of its connections can be closed.
    return {"http": bounded_protocol(limits), "backlog": max(1, min(MAX_BACKLOG, files // 16))}


def _max_open_files() -> int:
    """Return how many files the process may open."""
    try:
        import resource  # noqa: PLC0415 - not on every system
    except ImportError:
        return 2 * MAX_CONNECTIONS
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 2 * MAX_CONNECTIONS if soft == resource.RLIM_INFINITY else soft


def throttle_accept_errors() -> None:
    """Make the running loop warn at most once a minute when connections cannot be accepted.

    By default, asyncio logs a traceback for each pending connection every second.
    """
    loop = asyncio.get_running_loop()
    faults = ThrottledWarning(log, "connections refused, too many files are open")

    def handle(loop: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
        if str(context.get("message")).startswith("socket.accept() out of system resource"):
            faults.count()
        else:
            loop.default_exception_handler(dict(context))

    loop.set_exception_handler(handle)
