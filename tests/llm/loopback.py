"""A small real HTTP server on loopback whose answers a test scripts one by one."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

REASONS = {200: "OK", 429: "Too Many Requests", 503: "Service Unavailable"}


@dataclass
class Answer:
    """What the server does with one request.

    `delay` seconds pass first; `cut` closes the connection after that many bytes of the body,
    although the length of the whole was announced.
    """

    body: object = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: int | None = None

    def payload(self) -> bytes:
        text = self.body if isinstance(self.body, str) else json.dumps(self.body)
        return text.encode()

    def head(self) -> bytes:
        reason = REASONS.get(self.status, "Some Status")
        lines = [f"HTTP/1.1 {self.status} {reason}", "content-type: application/json"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        lines += [f"content-length: {len(self.payload())}", "connection: close", "", ""]
        return "\r\n".join(lines).encode()


@dataclass
class Heard:
    """One request as it arrived, and the time of its arrival on the loop's clock."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any
    at: float


class Loopback:
    """Answers the nth request with the nth answer; the last one repeats."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.heard: list[Heard] = []
        self.together = 0
        self.most_together = 0
        self.left_early = asyncio.Event()
        self.url = ""
        self._tasks: set[asyncio.Task[None]] = set()

    def script(self, *answers: Answer) -> None:
        self.answers = list(answers)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._exchange(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        first, *lines = head.strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, value in (x.split(":", 1) for x in lines)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        method, path, _ = first.split(" ")
        now = asyncio.get_running_loop().time()
        answer = self.answers[min(len(self.heard), len(self.answers) - 1)]
        self.heard.append(Heard(method, path, headers, json.loads(body), now))
        self.together += 1
        self.most_together = max(self.most_together, self.together)
        await self._pause(answer.delay, reader)
        self.together -= 1
        writer.write(answer.head() + answer.payload()[: answer.cut])
        await writer.drain()

    async def _pause(self, seconds: float, reader: asyncio.StreamReader) -> None:
        if not seconds:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                if await reader.read(1) == b"":
                    self.left_early.set()
                    raise ConnectionError("the client left")


@contextlib.asynccontextmanager
async def loopback() -> AsyncIterator[Loopback]:
    """Start a server on a free port of 127.0.0.1 and stop it at the end."""
    box = Loopback()
    tasks: set[asyncio.Task[None]] = set()

    def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(box.serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()[:2]
    box.url = f"http://{host}:{port}"
    try:
        yield box
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()
