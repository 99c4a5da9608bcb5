"""What stands around a server that is killed: its door, and the language model it pays."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from reasonloom.llm.interfaces import Ask
from tests.support.killing.guillotine import Guillotine
from tests.support.killing.victim import CALL, TOLD
from tests.support.llms.scripted_replies import scripted_reply

REQUEST = "request"
"""The point at which a call arrives at the server's door."""

ASKS, ANSWERS = b'"tools/call"', b'"isError"'
"""What a call holds and nothing before it; what its answer holds and no news of its progress."""

CHUNK = 65_536
SCHEMA = "and with nothing else:\n"


@dataclass
class Door:
    """A port before the server: it names the arrival of a call, and its answer's departure."""

    blade: Guillotine
    url: str = ""
    target: int = 0

    async def pass_through(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Pass one connection on, both ways."""
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.close()
            return
        ways = [
            asyncio.create_task(self._pass(reader, back, REQUEST, ASKS)),
            asyncio.create_task(self._pass(there, writer, TOLD, ANSWERS)),
        ]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for end in (back, writer):
            end.close()
        await asyncio.gather(*ways, return_exceptions=True)

    async def _pass(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, name: str, mark: bytes
    ) -> None:
        tail = b""
        with contextlib.suppress(ConnectionError):
            while data := await source.read(CHUNK):
                found = mark in tail + data
                tail = b"" if found else data[-len(mark) :]
                chosen = found and self.blade.reach(name)
                if chosen and self.blade.moment == "before":
                    await self.blade.fall()
                    return
                sink.write(data)
                await sink.drain()
                if chosen:
                    await self.blade.fall()


@dataclass
class Provider:
    """A language model over HTTP, as Langbase speaks; it writes down whom it was paid by."""

    blade: Guillotine
    book: Path
    url: str = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the questions of one connection."""
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                await self._answer(reader, writer)
        writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        size = int(head.split("content-length:")[1].split("\r\n")[0])
        asked = json.loads(await reader.readexactly(size))
        chosen = self.blade.reach(CALL)
        if chosen and self.blade.moment == "before":
            await self.blade.fall()
            return
        with self.book.open("a") as book:
            book.write("paid\n")
        if chosen:
            await self.blade.fall()
            return
        reply = json.dumps({"success": True, "completion": _model_reply(asked), "raw": {}}).encode()
        lines = [
            "HTTP/1.1 200 OK",
            "content-type: application/json",
            f"content-length: {len(reply)}",
        ]
        writer.write("\r\n".join([*lines, "", ""]).encode() + reply)
        await writer.drain()


def _model_reply(asked: dict[str, object]) -> str:
    """Return what is said to a question, which tells its schema in its system message."""
    messages = asked["messages"]
    assert isinstance(messages, list)
    schema = str(messages[0]["content"]).split(SCHEMA)[1]
    return json.dumps(scripted_reply(Ask((), json.loads(schema))))


@asynccontextmanager
async def door(blade: Guillotine) -> AsyncIterator[Door]:
    """Yield a door on loopback; its `target` is the port that it leads to."""
    made = Door(blade)
    listening = await asyncio.start_server(made.pass_through, "127.0.0.1", 0)
    made.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/mcp"
    try:
        yield made
    finally:
        listening.close()


@asynccontextmanager
async def provider(blade: Guillotine, book: Path) -> AsyncIterator[Provider]:
    """Yield a language model on loopback that writes into `book` what it is paid."""
    made = Provider(blade, book)
    listening = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    try:
        yield made
    finally:
        listening.close()
