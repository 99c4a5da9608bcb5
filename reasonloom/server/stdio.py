"""Serves over stdin and stdout; every line that asks for an answer gets one."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import ErrorData, JSONRPCError

from reasonloom.server.app import build_server
from reasonloom.server.loom_server import LoomServer
from reasonloom.server.room import AFTER_CLIENT, AFTER_SIGNAL, EngineRoom, end_within
from reasonloom.server.wire import LONGEST, Refusal, mend, too_long

if TYPE_CHECKING:
    from reasonloom.settings import Settings

CHUNK = 65_536
MOST_WAITING = 100
"""Lines read ahead of their handling."""


class Lines:
    """The lines of stdin that are messages; the others are answered on the way."""

    def __init__(self) -> None:
        self._replies: Any = None
        self._ready = anyio.Event()
        self._source = Source(_take_stdin())

    def answer_on(self, stream: Any) -> None:
        """Name the stream that refusals go out on."""
        self._replies = stream
        self._ready.set()

    async def __aiter__(self) -> AsyncIterator[str]:
        async for raw in self._source:
            if isinstance(raw, bytes) and not raw.strip():
                continue
            mended = mend(raw) if isinstance(raw, bytes) else raw
            if isinstance(mended, bytes):
                yield mended.decode(errors="replace")
            else:
                await self._refuse(mended)
        end_within(AFTER_CLIENT)

    async def _refuse(self, refusal: Refusal) -> None:
        await self._ready.wait()
        error = ErrorData(code=refusal.code, message=refusal.message)
        for identifier in refusal.ids:
            reply = JSONRPCError(jsonrpc="2.0", id=identifier, error=error)
            await self._replies.send(SessionMessage(reply))


class Source:
    """The raw lines of a descriptor, read by a thread that nobody has to wait for.

    A read of stdin cannot be cancelled: a thread of the loop's own would keep a server that
    was asked to end alive until its client says something more.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: asyncio.Queue[bytes | Refusal | None] = asyncio.Queue()
        self._room = threading.Semaphore(MOST_WAITING)

    async def __aiter__(self) -> AsyncIterator[bytes | Refusal]:
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, args=(loop,), name="stdin", daemon=True).start()
        while (line := await self._lines.get()) is not None:
            self._room.release()
            yield line

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        """Hand over line by line, then None; more than a few unread lines wait in the pipe."""
        with suppress(RuntimeError):  # the loop has ended meanwhile
            for line in _lines_of(self._descriptor):
                self._room.acquire()
                loop.call_soon_threadsafe(self._lines.put_nowait, line)
            loop.call_soon_threadsafe(self._lines.put_nowait, None)


class Line:
    """One line as it grows; of one that is too long only the head is kept."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, part: bytes) -> None:
        """Append a part."""
        self._size += len(part)
        if not part:
            return
        if self._size <= LONGEST:
            self._parts.append(part)
        else:
            del self._parts[1:]

    def take(self) -> bytes | Refusal:
        """Return the line, or why it is none, and begin the next."""
        parts, size = self._parts, self._size
        self._parts, self._size = [], 0
        return b"".join(parts) if size <= LONGEST else too_long(b"".join(parts))


def _lines_of(descriptor: int) -> Iterator[bytes | Refusal]:
    """Yield the lines of a descriptor; a last one without its line break counts."""
    line = Line()
    with suppress(OSError):
        while chunk := os.read(descriptor, CHUNK):
            *whole, rest = chunk.split(b"\n")
            for end in whole:
                line.add(end)
                yield line.take()
            line.add(rest)
    if last := line.take():
        yield last


def _take_stdin() -> int:
    """Return stdin under a descriptor of its own, so that no child process reads from it."""
    private = os.dup(sys.stdin.fileno())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    # The thread that reads may still wait on this descriptor at the end: it is never closed.
    return private


async def serve_stdio(settings: Settings) -> None:
    """Serve one client until it closes stdin or the process is asked to end.

    Raises:
        SettingMistake: the settings name a tool or toolset that does not exist.
    """
    async with EngineRoom(settings) as room:
        server = build_server(room)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_end_on_signal, tasks.cancel_scope)
            await _speak(server)
            tasks.cancel_scope.cancel()


async def _speak(server: LoomServer) -> None:
    lines = Lines()
    stdin = cast("anyio.AsyncFile[str]", lines)
    async with stdio_server(stdin=stdin) as (incoming, outgoing):
        lines.answer_on(outgoing)
        low = server._lowlevel_server
        await low.run(incoming, outgoing, low.create_initialization_options())


async def _end_on_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            end_within(AFTER_SIGNAL)
            scope.cancel()
            return
