"""Load for replicas: a provider with constant latency, and callers that never pause."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from uuid import uuid4

import httpx

from reasonloom.evals.bench.server.servers import HOST, Caller, result_of

MODEL = "simulated"
THOUGHT = json.dumps({"thought": "It follows from the facts.", "confidence": 0.9})


@asynccontextmanager
async def provider(seconds: float) -> AsyncIterator[dict[str, str]]:
    """Yield the environment for servers that use it; it answers `reasoning_linear` only."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                await _read(reader)
                await asyncio.sleep(seconds)
                writer.write(_answer())
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, HOST, 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield {
            "REASONLOOM_LLM": f"litellm:openai/{MODEL}",
            "REASONLOOM_LLM_BASE_URL": f"http://{HOST}:{port}/v1",
            "OPENAI_API_KEY": "sk-of-nobody-0123456789",
        }
    finally:
        server.close()


async def _read(reader: asyncio.StreamReader) -> None:
    """Read one request and ignore it."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").casefold()
    lengths = [line.partition(":")[2] for line in head.split("\r\n") if "content-length" in line]
    await reader.readexactly(int(lengths[0]) if lengths else 0)


def _answer() -> bytes:
    message = {"role": "assistant", "content": THOUGHT}
    body = json.dumps(
        {
            "id": "c1",
            "object": "chat.completion",
            "created": 1,
            "model": MODEL,
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 300, "completion_tokens": 20, "total_tokens": 320},
        }
    ).encode()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body


TOOL = "reasoning_linear"
QUESTION = "What must we tell the restaurant?"


@dataclass(frozen=True, slots=True)
class Flight:
    """A call in flight: its owner, and the port of its replica."""

    owner: str
    port: int


@dataclass
class Load:
    """The callers, each with an owner and a token, and a round-robin balancer.

    A replica that breaks a connection is removed from `ports`. `flying` holds the calls in flight
    by idempotency key; `took` holds when each call was answered, by `time.perf_counter`, and its
    seconds.
    """

    client: httpx.AsyncClient
    tokens: Mapping[str, str]
    ports: list[int]
    flying: dict[str, Flight] = field(default_factory=dict)
    took: list[tuple[float, float]] = field(default_factory=list)
    broken: int = 0
    failed: list[str] = field(default_factory=list)
    _turn: int = 0

    async def run(self, seconds: float) -> None:
        """Keep all callers busy for `seconds`, then wait for calls in flight."""
        until = time.perf_counter() + seconds
        async with asyncio.TaskGroup() as tasks:
            for owner, token in self.tokens.items():
                tasks.create_task(self._keep_calling(owner, Caller(self.client, token), until))

    async def _keep_calling(self, owner: str, caller: Caller, until: float) -> None:
        while time.perf_counter() < until:
            await self._call(owner, caller)

    async def _call(self, owner: str, caller: Caller) -> None:
        self._turn += 1
        port = self.ports[self._turn % len(self.ports)]
        key = str(uuid4())
        self.flying[key] = Flight(owner, port)
        started = time.perf_counter()
        try:
            result_of(await caller.call(port, TOOL, {"content": QUESTION}, key))
            ended = time.perf_counter()
            self.took.append((ended, ended - started))
        except httpx.TransportError:
            self.broken += 1
            if port in self.ports and len(self.ports) > 1:
                self.ports.remove(port)
        except RuntimeError as error:
            self.failed.append(str(error))
        finally:
            del self.flying[key]

    def within(self, begun: float, ended: float) -> list[float]:
        """Return the seconds of calls answered between two moments."""
        return [took for at, took in self.took if begun <= at < ended]


async def burst(
    client: httpx.AsyncClient, token: str, port: int, calls: int
) -> Sequence[tuple[int, float]]:
    """Send concurrent calls of one owner to one replica; return status and seconds of each.

    A call without an answer in time has status 0.
    """
    caller = Caller(client, token)

    async def one() -> tuple[int, float]:
        started = time.perf_counter()
        try:
            status = (await caller.call(port, TOOL, {"content": QUESTION})).status_code
        except httpx.TransportError:
            status = 0
        return status, time.perf_counter() - started

    return await asyncio.gather(*(one() for _ in range(calls)))
