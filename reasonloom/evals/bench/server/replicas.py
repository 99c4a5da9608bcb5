"""Times three replicas on one Postgres: throughput of one to three, a kill, and an overload.

Callers, balancer and the simulated provider share the machine's cores with the replicas and
Postgres, so the gain levels off before the replicas use all cores.
"""

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import psutil
import psycopg
from psycopg.rows import dict_row

from reasonloom.evals.bench.floors import BIND
from reasonloom.evals.bench.server.servers import (
    HOST,
    OURS,
    PATIENCE,
    Caller,
    child_environment,
    free_port,
    listening,
    make_tokens,
    result_of,
)
from reasonloom.evals.bench.timing import Figure, summarise
from reasonloom.evals.engine import temporary_database
from reasonloom.stores.access import Access, find_access

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


RUNS = "SELECT key, status, finished_at FROM runs WHERE owner = %s AND key = ANY(%s)"
PAUSE = 0.2


@dataclass(frozen=True, slots=True)
class Ends:
    """Ends of the runs in flight at a kill: seconds from the kill, and how many remain.

    `begun` counts the runs with a row; other calls left nothing to finish.
    """

    seconds: list[float]
    begun: int
    left: int


async def ends_of(
    access: Access, flights: Mapping[str, Flight], killed_at: datetime, patience: float
) -> Ends:
    """Wait until every run of the keys is done, for at most `patience` seconds."""
    until = time.monotonic() + patience
    async with await psycopg.AsyncConnection.connect(access.app) as connection:
        while True:
            rows = await _rows(connection, flights)
            late = [row for row in rows if row["finished_at"] is None or
                    row["finished_at"] > killed_at]  # fmt: skip
            done = [row["finished_at"] for row in late if row["status"] == "done"]
            left = len(late) - len(done)
            if not left or time.monotonic() > until:
                seconds = [(ended - killed_at).total_seconds() for ended in done]
                return Ends(seconds, len(late), left)
            await asyncio.sleep(PAUSE)


async def _rows(
    connection: psycopg.AsyncConnection[Any], flights: Mapping[str, Flight]
) -> list[dict[str, Any]]:
    """Return key, status and end of the runs started with these keys."""
    keys: dict[str, list[str]] = {}
    for key, flight in flights.items():
        keys.setdefault(flight.owner, []).append(key)
    found = []
    for owner, own in keys.items():
        async with connection.transaction():
            await connection.execute(BIND, (owner,))
            cursor = connection.cursor(row_factory=dict_row)
            await cursor.execute(RUNS, (owner, own))
            found += await cursor.fetchall()
    return found


REPLICAS = 3
CALLERS = 50
LATENCY = 0.5
"""Seconds per reply of the simulated language model."""

LEASE = 4.0
"""`REASONLOOM_LEASE_SECONDS`: runs of a silent replica are taken over after this."""

AT_ONCE = 8
"""`REASONLOOM_CALLER_CONCURRENCY`; each of the callers has one call in flight."""

WARM_UP, WINDOW = 3.0, 10.0
"""Seconds of load before counting, and of counting."""

GOAL = 10.0
"""Seconds from the kill within which the last of the killed replica's runs must end."""

BEFORE_KILL, AFTER_KILL, BURSTS = 3.0, 30.0, 4


@dataclass(frozen=True, slots=True)
class Site:
    """The replicas' processes by port, how to reach them, and the folder of their Postgres."""

    folder: Path
    processes: dict[int, asyncio.subprocess.Process]
    access: Access
    tokens: dict[str, str]
    client: httpx.AsyncClient

    @property
    def ports(self) -> list[int]:
        """The replicas' ports."""
        return [*self.processes]

    def processor_seconds(self, ports: list[int]) -> float:
        """Return the CPU seconds used by the replicas on these ports so far."""
        times = [psutil.Process(self.processes[port].pid).cpu_times() for port in ports]
        return float(sum(each.user + each.system for each in times))

    def load(self, ports: list[int]) -> Load:
        """Return a load for the replicas on these ports."""
        return Load(self.client, self.tokens, [*ports])


async def measure() -> list[Figure]:
    """Measure all three on temporary servers and a temporary database."""
    async with replica_site() as site:
        figures = await _gain(site)
        figures.append(await _overload(site))
        figures.append(await _kill(site))
    return figures


@asynccontextmanager
async def replica_site() -> AsyncIterator[Site]:
    """Yield replicas on a temporary database, with a simulated provider and warmed up."""
    async with (
        temporary_database() as (settings, _),
        provider(LATENCY) as llm,
        AsyncExitStack() as stack,
    ):
        path = settings.home / "tokens"
        tokens = make_tokens(path, [f"caller-{number}" for number in range(CALLERS)])
        env = child_environment(
            settings,
            REASONLOOM_TOOLSETS="reasoning",
            REASONLOOM_TOKENS=str(path),
            REASONLOOM_LEASE_SECONDS=str(LEASE),
            REASONLOOM_CALLER_CONCURRENCY=str(AT_ONCE),
            REASONLOOM_CALLER_REQUESTS_PER_MINUTE="1000000",
            REASONLOOM_ACCESS_LOG="off",
            **llm,
        )
        access = await find_access(settings)
        ports = [free_port() for _ in range(REPLICAS)]
        processes = {}
        for port in ports:
            command = (*OURS, "--http", f"{HOST}:{port}", "--stateless")
            processes[port] = await stack.enter_async_context(listening(command, port, env))
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=REPLICAS * CALLERS)
        client = httpx.AsyncClient(timeout=PATIENCE, trust_env=False, limits=limits)
        await stack.enter_async_context(client)
        site = Site(settings.database_folder, processes, access, tokens, client)
        await site.load(ports).run(WARM_UP)
        yield site


async def _gain(site: Site) -> list[Figure]:
    """Measure the throughput of one, two and three replicas in a window each."""
    figures: list[Figure] = []
    first = 0.0
    for count in range(1, REPLICAS + 1):
        ports = site.ports[:count]
        load, begun = site.load(ports), time.perf_counter() + WARM_UP
        before = site.processor_seconds(ports)
        await load.run(WARM_UP + WINDOW)
        used = (site.processor_seconds(ports) - before) / max(1, len(load.took))
        took = load.within(begun, begun + WINDOW)
        if not took:
            raise RuntimeError(f"no call was answered within {WINDOW:g} s{_failures(load)}")
        rate = len(took) / WINDOW
        first = first or rate
        note = (
            f"{rate:.1f} calls a second, {rate / first:.2f} times one replica; "
            f"{used * 1000:.0f} ms of a processor for a call, without Postgres, callers and llm, "
            f"which share the {os.cpu_count()} cores{_failures(load)}"
        )
        name = f"reasoning_linear, {CALLERS} callers, {count} of {REPLICAS} replicas"
        figures.append(_figure(name, took, note))
    return figures


def _failures(load: Load) -> str:
    """Return the number of failed calls with the first message; empty if none failed."""
    if not load.failed:
        return ""
    return f"; {len(load.failed)} failed, the first with: {load.failed[0]}"


async def _overload(site: Site) -> Figure:
    """Send bursts of more calls of one owner than allowed; time the refusals."""
    token = next(iter(site.tokens.values()))
    answers = [
        answer
        for _ in range(BURSTS)
        for answer in await burst(site.client, token, site.ports[0], CALLERS)
    ]
    refused = [took for status, took in answers if status == httpx.codes.TOO_MANY_REQUESTS]
    served = sum(status == httpx.codes.OK for status, _ in answers)
    silent = sum(status == 0 for status, _ in answers)
    note = (
        f"{len(refused)} of {len(answers)} refused, {served} served, {silent} without an answer, "
        f"{len(answers) - len(refused) - served - silent} else"
    )
    name = f"a refusal, {CALLERS} calls of one owner at once, {AT_ONCE} allowed"
    return _figure(name, refused, note)


async def _kill(site: Site) -> Figure:
    """Kill one replica under load; time its runs until they end on the others."""
    load = site.load(site.ports)
    victim = site.ports[0]
    work = asyncio.create_task(load.run(BEFORE_KILL + LEASE + GOAL))
    await asyncio.sleep(BEFORE_KILL)
    flights = {key: flight for key, flight in load.flying.items() if flight.port == victim}
    site.processes[victim].kill()
    killed_at = datetime.now(UTC)
    ends = await ends_of(site.access, flights, killed_at, AFTER_KILL)
    await work
    last = max(ends.seconds, default=0.0)
    reached = ends.begun and not ends.left and last <= GOAL
    note = (
        f"{ends.begun} runs of {len(flights)} calls under way, {ends.left} not finished, the last"
        f" after {last:.1f} s; goal {GOAL:g} s: {'reached' if reached else 'missed'}; "
        f"lease {LEASE:g} s; {load.broken} calls left unanswered{_failures(load)}"
    )
    name = "from a replica's kill -9 under load to the end of each of its runs"
    return _figure(name, ends.seconds, note)


def _figure(name: str, seconds: list[float], note: str) -> Figure:
    if not seconds:
        raise RuntimeError(f"{name}: nothing to time: {note}")
    times = [each * 1000 for each in seconds]
    return summarise(name, times, note=note)
