"""A way to Postgres on which every condition on the owner is lost: row-level security is alone.

The fault is put into what the server says to the database, and not into the server: each
statement that it prepares or sends has `owner = $1` taken out of force on the way.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.clients.processes import free_port
from tests.support.databases.proxy import Proxy, pass_on, running

CLAUSE = re.compile(rb"(?<![\w.\"])((?:\w+\.)*owner) = (\$\d+(?:::\w+)?)")
STARTUP = 196_608
PARSE, QUERY = b"P", b"Q"


class Unowned(Proxy):
    """Passes statements on without their conditions on the owner; counts what it changed."""

    def __init__(self, port: int, target: Path) -> None:
        super().__init__(port, target)
        self.statements: set[bytes] = set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        there, back = await asyncio.open_unix_connection(str(self._target))
        with suppress(asyncio.CancelledError):
            await asyncio.gather(self._told(reader, back), pass_on(there, writer))

    async def _told(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on what the client says, message by message."""
        with suppress(OSError, asyncio.IncompleteReadError):
            begun = False
            while not begun:
                size = await reader.readexactly(4)
                rest = await reader.readexactly(int.from_bytes(size, "big") - 4)
                writer.write(size + rest)
                begun = int.from_bytes(rest[:4], "big") == STARTUP
            while True:
                kind = await reader.readexactly(1)
                size = await reader.readexactly(4)
                body = await reader.readexactly(int.from_bytes(size, "big") - 4)
                body = self._changed(kind, body)
                writer.write(kind + (len(body) + 4).to_bytes(4, "big") + body)
                await writer.drain()
        writer.transport.abort()

    def _changed(self, kind: bytes, body: bytes) -> bytes:
        if kind not in (PARSE, QUERY):
            return body
        changed = CLAUSE.sub(rb"(\1 = \2 OR true)", body)
        if changed != body:
            self.statements.add(changed)
        return changed


@contextmanager
def unowned(target: Path, database: str) -> Iterator[tuple[Unowned, str]]:
    """Yield such a way to the socket `target`, and the URL that leads over it."""
    port = free_port()
    with running(Unowned(port, target)) as proxy:
        url = f"postgresql://postgres@127.0.0.1:{port}/{database}"
        yield proxy, f"{url}?sslmode=disable&gssencmode=disable"
