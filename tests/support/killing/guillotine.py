"""A proxy before Postgres that kills its client process at a chosen point.

Every statement, saved step and commit crosses this wire, so that counting its round trips
names the points at which a server can die: before what it sent arrives, or after it was
done and before the answer came back. What a process does elsewhere, such as paying for a
call or telling its answer, it names itself by ringing a bell before and after.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from reasonloom.stores.embedded.postmaster import Address
from tests.support.databases.wire_protocol import ROUND_TRIPS, Talk

READY = b"Z"
"""What Postgres says once it has done all that it was sent."""

PATIENCE = 5.0
"""Seconds for Postgres to do what it was sent; a statement that waits for a lock never ends."""

Moment = Literal["before", "after"]
Choice = Callable[[int, str], bool]
"""Tells of a point's number, counted from 1, and name whether the blade falls there."""


def never(number: int, name: str) -> bool:
    """Let the process live."""
    return False


@dataclass
class Guillotine:
    """Where it listens, when it falls, and the names of the points that were reached."""

    port: int = 0
    bell: int = 0
    falls: Choice = never
    moment: Moment = "before"
    victim: int | None = None
    struck: str = ""
    reached: list[str] = field(default_factory=list)
    fallen: asyncio.Event = field(default_factory=asyncio.Event)

    def conninfo(self, user: str, database: str, options: str) -> str:
        """Return libpq's words for a connection that passes here."""
        return (
            f"host=127.0.0.1 port={self.port} user={user} dbname={database} "
            f"application_name={VICTIM} sslmode=disable gssencmode=disable options='{options}'"
        )

    def url(self, database: str) -> str:
        """Return the URL of a connection that passes here, as a server is told it."""
        return (
            f"postgresql://postgres@127.0.0.1:{self.port}/{database}"
            f"?application_name={VICTIM}&sslmode=disable&gssencmode=disable"
        )

    def raise_again(self, falls: Choice, moment: Moment) -> None:
        """Make ready for the next process."""
        self.falls, self.moment = falls, moment
        self.victim = None
        self.struck = ""
        self.reached.clear()
        self.fallen.clear()

    def reach(self, name: str) -> bool:
        """Note that a point is reached; tell whether it is the chosen one."""
        self.reached.append(name)
        if self.struck or not self.falls(len(self.reached), name):
            return False
        self.struck = name
        return True

    async def fall(self) -> None:
        """Kill the victim as `kill -9` does."""
        while self.victim is None:
            await asyncio.sleep(0.005)
        if not self.fallen.is_set():
            self.fallen.set()
            os.kill(self.victim, signal.SIGKILL)


VICTIM = "victim"
"""The name that connections which pass here have in `pg_stat_activity`."""


@asynccontextmanager
async def guillotine(address: Address) -> AsyncIterator[Guillotine]:
    """Yield a proxy on loopback before the server at `address`."""
    blade = Guillotine()
    path = str(Path(address.socket_dir) / f".s.PGSQL.{address.port}")

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_unix_connection(path)
        back = asyncio.create_task(_copy(inner_reader, writer))
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            await _forward(blade, reader, inner_reader, inner_writer, back)
        back.cancel()
        inner_writer.close()
        writer.close()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            await _rung(blade, reader, writer)
        writer.close()

    wire = await asyncio.start_server(serve, "127.0.0.1", 0)
    bell = await asyncio.start_server(listen, "127.0.0.1", 0)
    blade.port = wire.sockets[0].getsockname()[1]
    blade.bell = bell.sockets[0].getsockname()[1]
    try:
        yield blade
    finally:
        wire.close()
        bell.close()


@asynccontextmanager
async def named_point(bell: int, name: str) -> AsyncIterator[None]:
    """Stop before and after what is done within, until the guillotine says to go on."""
    if not bell:
        yield
        return
    reader, writer = await asyncio.open_connection("127.0.0.1", bell)
    writer.write(f"{name}\n".encode())
    await reader.readline()
    yield
    writer.write(b"done\n")
    await reader.readline()
    writer.close()


async def _rung(
    blade: Guillotine, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    chosen = blade.reach((await reader.readline()).decode().strip())
    if chosen and blade.moment == "before":
        await blade.fall()
        return
    writer.write(b"go on\n")
    if await reader.readline() and chosen:
        await blade.fall()
        return
    writer.write(b"go on\n")


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()


async def _message(reader: asyncio.StreamReader) -> tuple[bytes, bytes, bytes]:
    """Return a message's kind, its length as sent, and its body."""
    kind, size = await reader.readexactly(1), await reader.readexactly(4)
    return kind, size, await reader.readexactly(int.from_bytes(size) - 4)


async def _forward(
    blade: Guillotine,
    reader: asyncio.StreamReader,
    inner_reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    back: asyncio.Task[None],
) -> None:
    """Pass messages on until the chosen one; the start-up message has no kind."""
    size = await reader.readexactly(4)
    writer.write(size + await reader.readexactly(int.from_bytes(size) - 4))
    talk = Talk()
    while True:
        kind, size, body = await _message(reader)
        talk.hear(kind, body)
        name = talk.round_trip() if kind in ROUND_TRIPS else ""
        chosen = bool(name) and blade.reach(name)
        if chosen and blade.moment == "before":
            await blade.fall()
            return
        if chosen:  # what is done now is never heard of
            back.cancel()
            await asyncio.gather(back, return_exceptions=True)
        writer.write(kind + size + body)
        await writer.drain()
        if chosen:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(_done(inner_reader), PATIENCE)
            await blade.fall()
            return


async def _done(reader: asyncio.StreamReader) -> None:
    while (await _message(reader))[0] != READY:
        pass
