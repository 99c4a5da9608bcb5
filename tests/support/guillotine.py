"""A proxy before Postgres that kills its client process at a chosen message.

Every statement, saved step and commit crosses this wire, so that counting its round trips
names every point at which a server can die: before what it sent arrives, or after it was
done and before the answer came back.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from reasonloom.stores.embedded.server import Address

ROUND_TRIPS = b"QS"
"""Frontend messages after which Postgres answers: a simple query, and Sync."""

EXECUTED = 0.05
"""Seconds in which Postgres has executed what it was sent."""

Moment = Literal["before", "after"]


@dataclass
class Guillotine:
    """Where it listens, when it falls, and what it saw."""

    port: int = 0
    falls_at: int | None = None
    moment: Moment = "before"
    victim: int | None = None
    seen: int = 0
    fallen: asyncio.Event = field(default_factory=asyncio.Event)

    def conninfo(self, user: str, database: str, options: str) -> str:
        """Return libpq's words for a connection that passes here."""
        return (
            f"host=127.0.0.1 port={self.port} user={user} dbname={database} "
            f"sslmode=disable gssencmode=disable options='{options}'"
        )

    async def fall(self) -> None:
        """Kill the victim as `kill -9` does."""
        while self.victim is None:
            await asyncio.sleep(0.005)
        if not self.fallen.is_set():
            self.fallen.set()
            os.kill(self.victim, signal.SIGKILL)


@asynccontextmanager
async def guillotine(address: Address) -> AsyncIterator[Guillotine]:
    """Yield a proxy on loopback before the server at `address`."""
    blade = Guillotine()
    path = str(Path(address.socket_dir) / f".s.PGSQL.{address.port}")

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_unix_connection(path)
        back = asyncio.create_task(_copy(inner_reader, writer))
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            await _forward(blade, reader, inner_writer, back)
        back.cancel()
        inner_writer.close()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    blade.port = server.sockets[0].getsockname()[1]
    try:
        yield blade
    finally:
        server.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()


async def _forward(
    blade: Guillotine,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    back: asyncio.Task[None],
) -> None:
    """Pass messages on until the chosen one; the start-up message has no type."""
    size = await reader.readexactly(4)
    writer.write(size + await reader.readexactly(int.from_bytes(size) - 4))
    while True:
        kind = await reader.readexactly(1)
        size = await reader.readexactly(4)
        message = kind + size + await reader.readexactly(int.from_bytes(size) - 4)
        last = False
        if kind in ROUND_TRIPS:
            blade.seen += 1
            last = blade.seen == blade.falls_at
        if last and blade.moment == "before":
            await blade.fall()
            return
        if last:
            back.cancel()  # what was done is never heard of
        writer.write(message)
        await writer.drain()
        if last:
            await asyncio.sleep(EXECUTED)
            await blade.fall()
            return
