"""A TCP port that leads to a Postgres on a unix socket, opened when a test says so."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

CHUNK = 65_536


class Proxy:
    """Passes bytes both ways between a loopback port and a socket's file."""

    def __init__(self, port: int, target: Path) -> None:
        self._port = port
        self._target = target
        self.connections = 0

    async def open(self) -> asyncio.Server:
        """Begin to listen."""
        return await asyncio.start_server(self._serve, "127.0.0.1", self._port)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        there, back = await asyncio.open_unix_connection(str(self._target))
        with suppress(asyncio.CancelledError):
            await asyncio.gather(pass_on(reader, back), pass_on(there, writer))


async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while chunk := await reader.read(CHUNK):
            writer.write(chunk)
            await writer.drain()
    except OSError:
        pass  # either end is gone, and the other learns of it now
    finally:
        writer.transport.abort()


@contextmanager
def proxied(port: int, target: Path) -> Iterator[Proxy]:
    """Lead a port to a socket while the block runs; afterwards the port is closed again."""
    with running(Proxy(port, target)) as proxy:
        yield proxy


P = TypeVar("P", bound=Proxy)


@contextmanager
def running(proxy: P) -> Iterator[P]:
    """Let a proxy listen while the block runs."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server = asyncio.run_coroutine_threadsafe(proxy.open(), loop).result(10)
    try:
        yield proxy
    finally:
        asyncio.run_coroutine_threadsafe(_end(server), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


async def _end(server: asyncio.Server) -> None:
    server.close()
    current = asyncio.current_task()
    tasks = [task for task in asyncio.all_tasks() if task is not current]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.sleep(0)  # the aborted connections are closed in the loop's next round
