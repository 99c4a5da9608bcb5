"""Times three replicas on one Postgres: throughput of one to three, a kill, and an overload.

Callers, balancer and the simulated provider share the machine's cores with the replicas and
Postgres, so the gain levels off before the replicas use all cores.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import httpx
import psutil
import psycopg
from psycopg.rows import dict_row

from reasonloom.evals.bench.floors import BIND
from reasonloom.evals.bench.server.replica_load import Flight, Load, burst, provider
from reasonloom.evals.bench.server.servers import (
    HOST,
    OURS,
    PATIENCE,
    child_environment,
    free_port,
    listening,
    make_tokens,
)
from reasonloom.evals.bench.timing import Figure, summarise
from reasonloom.evals.engine import temporary_database
from reasonloom.stores.access import Access, find_access

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
    """The replicas' processes by port, and how to reach them."""

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
    async with _site() as site:
        figures = await _gain(site)
        figures.append(await _overload(site))
        figures.append(await _kill(site))
    return figures


@asynccontextmanager
async def _site() -> AsyncIterator[Site]:
    async with (
        temporary_database() as (settings, _),
        provider(LATENCY) as llm,
        AsyncExitStack() as stack,
    ):
        path = settings.home / "tokens"
        tokens = make_tokens(path, [f"caller-{number}" for number in range(CALLERS)])
        env = child_environment(
            settings,
            REASONLOOM_TOKENS=str(path),
            REASONLOOM_LEASE_SECONDS=str(LEASE),
            REASONLOOM_CALLER_CONCURRENCY=str(AT_ONCE),
            REASONLOOM_CALLER_REQUESTS_PER_MINUTE="1000000",
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
        site = Site(processes, access, tokens, await stack.enter_async_context(client))
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
