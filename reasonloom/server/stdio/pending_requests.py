"""Delays the end of a client's input until pending requests are answered."""

from __future__ import annotations

import select
from collections import Counter
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any

import anyio
from mcp.shared.dispatcher import as_request_id, coerce_request_id
from mcp.shared.message import SessionMessage
from mcp_types import (
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)

CANCELLED = "notifications/cancelled"
LISTEN = "subscriptions/listen"
"""The request that is answered only at the end of its stream, so that nothing waits for it."""

POLL_SECONDS = 0.1
"""Seconds between checks whether the client is still connected."""


class PendingRequests:
    """The ids of requests passed to the SDK but not yet answered or cancelled."""

    def __init__(self) -> None:
        self._ids: Counter[RequestId] = Counter()
        self._written: dict[RequestId, RequestId] = {}
        self._taken: frozenset[RequestId] = frozenset()
        self._none_pending = anyio.Event()

    def came(self, message: JSONRPCMessage) -> None:
        """Record a message from the client."""
        if isinstance(message, JSONRPCRequest) and message.method != LISTEN:
            key = coerce_request_id(message.id)
            self._ids[key] += 1
            self._written[key] = message.id  # "7" and 7 are one id to the SDK, not to the client
        elif isinstance(message, JSONRPCNotification) and message.method == CANCELLED:
            self._settle(as_request_id((message.params or {}).get("requestId")))

    def went(self, message: JSONRPCMessage) -> None:
        """Record a message to the client."""
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            self._settle(message.id)

    def _settle(self, identifier: RequestId | None) -> None:
        if identifier is not None:
            key = coerce_request_id(identifier)
            self._ids -= Counter([key])  # never negative: a cancelled call may be answered too
            if key not in self._ids:
                self._written.pop(key, None)
        if not self._ids:
            self._none_pending.set()

    def take(self) -> list[RequestId]:
        """Return and clear the pending ids; from now on, only the caller answers them."""
        ids = [self._written[key] for key in self._ids.elements()]
        self._taken = frozenset(self._ids)
        self._ids.clear()
        return ids

    def was_answered(self, message: JSONRPCMessage) -> bool:
        """Return whether a message answers an id returned by `take`."""
        if not isinstance(message, JSONRPCResponse | JSONRPCError) or message.id is None:
            return False
        return coerce_request_id(message.id) in self._taken

    async def settled(self, seconds: float, is_gone: Callable[[], bool]) -> None:
        """Wait until no request is pending, for at most `seconds` or until the client is gone."""
        with anyio.move_on_after(seconds):
            while self._ids and not is_gone():
                self._none_pending = anyio.Event()
                with anyio.move_on_after(POLL_SECONDS):
                    await self._none_pending.wait()


class _Stream:
    """Base of wrappers around an SDK stream."""

    def __init__(self, stream: Any, pending: PendingRequests) -> None:
        self._stream = stream
        self._pending = pending

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


class Incoming(_Stream):
    """A client's messages; the end is delayed, since the SDK drops pending calls on it."""

    def __init__(
        self, stream: Any, pending: PendingRequests, before_end: Callable[[], Awaitable[None]]
    ) -> None:
        """Wrap `stream`; `before_end` is awaited before the end is passed on."""
        super().__init__(stream, pending)
        self._before_end = before_end

    def __aiter__(self) -> Incoming:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            await self._before_end()
            raise StopAsyncIteration from None

    async def receive(self) -> SessionMessage | Exception:
        """Receive and record the next message."""
        item: SessionMessage | Exception = await self._stream.receive()
        if not isinstance(item, Exception):
            self._pending.came(item.message)
        return item


class Outgoing(_Stream):
    """The messages to a client."""

    async def send(self, item: SessionMessage, /) -> None:
        """Send and record a message, unless its request was answered at shutdown."""
        if self._pending.was_answered(item.message):
            return
        await self._stream.send(item)
        self._pending.went(item.message)


def is_reader_gone(descriptor: int) -> bool:
    """Return whether the reader of a pipe is gone; False if the system lacks `poll`."""
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(descriptor, 0)
    return bool(poll.poll(0))
