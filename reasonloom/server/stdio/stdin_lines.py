"""Reads raw lines from a file descriptor in a daemon thread."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress

from reasonloom.server.json_rpc import MAX_MESSAGE_BYTES, Refusal, too_long

CHUNK = 65_536
MAX_READ_AHEAD = 100
"""Maximum lines read before they are handled."""


class StdinLines:
    """The raw lines of a file descriptor, read by a daemon thread.

    A read of stdin cannot be cancelled: a thread of the loop's executor would keep a terminating
    server alive until its client sends something.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: asyncio.Queue[bytes | Refusal | None] = asyncio.Queue()
        self._read_ahead = threading.Semaphore(MAX_READ_AHEAD)

    async def __aiter__(self) -> AsyncIterator[bytes | Refusal]:
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, args=(loop,), name="stdin", daemon=True).start()
        while (line := await self._lines.get()) is not None:
            self._read_ahead.release()
            yield line

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        """Queue each line, then None, with limited read-ahead."""
        with suppress(RuntimeError):  # the loop has closed meanwhile
            for line in _lines_of(self._descriptor):
                self._read_ahead.acquire()
                loop.call_soon_threadsafe(self._lines.put_nowait, line)
            loop.call_soon_threadsafe(self._lines.put_nowait, None)


class LineBuffer:
    """Accumulates one line; only the head of an oversized one is retained."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def split(self, chunk: bytes) -> Iterator[bytes | Refusal]:
        """Yield the lines that a chunk completes; its rest begins the next one."""
        *whole, rest = chunk.split(b"\n")
        for end in whole:
            self._add(end)
            yield self.take()
        self._add(rest)

    def _add(self, part: bytes) -> None:
        self._size += len(part)
        if not part:
            return
        if self._size <= MAX_MESSAGE_BYTES:
            self._parts.append(part)
        else:
            del self._parts[1:]

    def take(self) -> bytes | Refusal:
        """Return the line or its refusal, and reset the buffer."""
        parts, size = self._parts, self._size
        self._parts, self._size = [], 0
        return b"".join(parts) if size <= MAX_MESSAGE_BYTES else too_long(b"".join(parts))


async def stream_lines(reader: asyncio.StreamReader) -> AsyncIterator[bytes | Refusal]:
    """Yield the lines of a stream, the last one even without a line break."""
    line = LineBuffer()
    with suppress(ConnectionError):
        while chunk := await reader.read(CHUNK):
            for each in line.split(chunk):
                yield each
    if last := line.take():
        yield last


def _lines_of(descriptor: int) -> Iterator[bytes | Refusal]:
    """Yield the lines of a file descriptor, the last one even without a line break."""
    line = LineBuffer()
    with suppress(OSError):
        while chunk := os.read(descriptor, CHUNK):
            yield from line.split(chunk)
    if last := line.take():
        yield last
