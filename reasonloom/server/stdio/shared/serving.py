"""Serves many clients over one Unix socket, each as over stdio, until none has come for a while."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import time
from contextlib import suppress

import anyio

from reasonloom.server.app import build_server
from reasonloom.server.engine_lifespan import AFTER_SIGNAL, EngineLifespan, exit_within
from reasonloom.server.json_rpc import SHUTDOWN_CODE, SHUTDOWN_MESSAGE, Refusal
from reasonloom.server.loom_server import LoomServer
from reasonloom.server.stdio.pending_requests import PendingRequests
from reasonloom.server.stdio.serving import FLUSH_SECONDS, MessageLines, run_session
from reasonloom.server.stdio.shared.place import GREETING, SharedPlace
from reasonloom.server.stdio.stdin_lines import stream_lines
from reasonloom.settings import Settings

log = logging.getLogger(__name__)


async def serve_shared(settings: Settings, place: SharedPlace) -> None:
    """Serve clients until a signal, or until none was there for `REASONLOOM_IDLE_STOP`.

    Returns at once where another process serves at this place.

    Raises:
        SettingMistake: the settings name a tool or toolset that does not exist.
    """
    with place.serving(settings.home) as mine:
        if not mine:
            return
        async with EngineLifespan(settings) as lifespan:
            await SharedServing(build_server(lifespan), lifespan).run(place)


class SocketWriter:
    """Writes text to a connection, as the SDK writes to a file."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def write(self, text: str) -> None:
        """Write a text."""
        self._writer.write(text.encode())

    async def flush(self) -> None:
        """Wait until the client has read most of it."""
        await self._writer.drain()


class SharedServing:
    """The clients of one server.

    Attributes:
        clients: the messages of each client, with its requests that are not answered yet.
    """

    def __init__(self, server: LoomServer, lifespan: EngineLifespan) -> None:
        self.server, self.lifespan = server, lifespan
        self.clients: dict[MessageLines, PendingRequests] = {}
        self._left, self._changed = time.monotonic(), anyio.Event()

    async def run(self, place: SharedPlace) -> None:
        """Listen at a place until a signal, or until nobody has come for long enough."""
        place.socket.unlink(missing_ok=True)  # what a killed server left; we hold its lock
        mask = os.umask(0o177)
        try:
            listener = await asyncio.start_unix_server(self._serve, str(place.socket))
        finally:
            os.umask(mask)
        log.info("a shared server is listening")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._end_on_signal, tasks.cancel_scope)
            await self._unused(self.lifespan.settings.idle_stop or None)
            log.info("no client has connected for a while: the shared server stops")
            place.socket.unlink(missing_ok=True)
            listener.close()
            await self._unused(0)  # somebody may have come at the last moment
            tasks.cancel_scope.cancel()

    async def _unused(self, idle: float | None) -> None:
        """Return once no client has been there for `idle` seconds, never with None."""
        while idle is None or self.clients or time.monotonic() - self._left < idle:
            self._changed = anyio.Event()
            left = None if idle is None or self.clients else self._left + idle - time.monotonic()
            with anyio.move_on_after(None if left is None else max(0.0, left)):
                await self._changed.wait()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one client until it leaves; its fault is no other client's."""
        lines, pending = MessageLines(stream_lines(reader), lambda: None), PendingRequests()
        self.clients[lines] = pending
        self._changed.set()
        try:
            writer.write(GREETING)
            await writer.drain()
            gone = writer.transport.is_closing
            stdout = SocketWriter(writer)
            await run_session(self.server, lambda: None, lines, pending, gone, stdout)
        except Exception:
            log.exception("a client's session failed")
        finally:
            self.clients.pop(lines, None)
            self._left = time.monotonic()
            self._changed.set()
            with suppress(OSError):
                writer.close()

    async def _end_on_signal(self, scope: anyio.CancelScope) -> None:
        """On a signal, answer pending calls of all clients with an error and shut down."""
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            async for _ in signals:
                exit_within(AFTER_SIGNAL)
                self.lifespan.leave()
                with anyio.move_on_after(AFTER_SIGNAL / 2):
                    for lines, pending in list(self.clients.items()):
                        taken = tuple(pending.take())
                        await lines.refuse(Refusal(SHUTDOWN_CODE, SHUTDOWN_MESSAGE, taken))
                    await anyio.sleep(FLUSH_SECONDS)
                scope.cancel()
                return
