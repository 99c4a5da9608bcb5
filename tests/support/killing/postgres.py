"""Kills the embedded Postgres of a server that clients write through, and looks at what is left."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import psycopg
from mcp import Client

from reasonloom.stores.access import DATABASE, Access, access_at
from reasonloom.stores.embedded.server import EmbeddedServer
from tests.support.clients.processes import environment
from tests.support.databases.postgres import no_other_orphans
from tests.support.databases.rows import LEASES, Census, census, counted
from tests.support.killing.guillotine import Guillotine
from tests.support.killing.load import CALLS, Load
from tests.support.killing.proxies import Provider, provider
from tests.support.killing.servers import Started, cold, ready

OWNER = "local"
CLIENTS = 6
BETWEEN = CLIENTS + 1
"""Calls that must be acknowledged after a kill before the next: one of them began after it."""

COMEBACK = 60.0
"""Seconds in which they must be."""

LOOSE = ("edges", "terms")
"""Tables whose rows depend on what else is there: links of memories that are alike, known words."""

STATES = """SELECT key, count(*), bool_and(status = 'done') FROM runs
    WHERE owner = %s AND key IS NOT NULL GROUP BY key"""
UNFINISHED = """SELECT count(*) FROM runs WHERE owner = %s AND status <> 'done'
    AND (status <> 'failed' OR key IS NOT NULL)"""
TOLD_OF = "SELECT count(*) FROM runs WHERE owner = %s AND status = 'failed' AND key IS NULL"
"""Calls that stored nothing and were answered with an error leave a row that says so, of no key."""

VECTORLESS = """SELECT count(*) FROM memories m WHERE owner = %s AND NOT EXISTS (
    SELECT FROM embeddings e WHERE e.owner = m.owner AND e.memory_id = m.id)"""
BACKENDS = """SELECT pid FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()
    AND application_name <> %s ORDER BY state = 'idle', random()"""


@dataclass
class PostgresKills:
    """What was killed, what the clients were told, and what was wrong in the end."""

    kills: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    told: Counter[str] = field(default_factory=Counter)
    again: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    comebacks: list[float] = field(default_factory=list)
    paid_again: int = 0
    seed: int = 0

    def lines(self) -> Iterable[str]:
        """Return what there is to tell, a line each."""
        yield f"seed {self.seed}: Postgres killed {self.kills.total()} times: {dict(self.kills)}"
        yield f"acknowledged: {self.told.total()} {dict(self.told)}"
        yield f"answered with a retryable error: {self.again.total()} {dict(self.again)}"
        times = sorted(self.comebacks)
        if times:
            middle = times[len(times) // 2]
            yield f"{BETWEEN} acknowledgements after a kill: median {middle:.1f}, {times[-1]:.1f} s"
        yield f"replies paid again, for they were lost before they were recorded: {self.paid_again}"
        names = ("lost", "half", "doubled", "unresumed", "else")
        yield ", ".join(f"{name} {self.wrong[name]}" for name in names)
        yield from self.faults

    def note(self, kind: str, count: int, what: str) -> None:
        """Count faults of a kind."""
        if count:
            self.wrong[kind] += count
            self.faults.append(f"{kind}: {what} {count}")


@dataclass
class Field:
    """A server with its embedded Postgres, and the language model that it pays."""

    server: Started
    postgres: EmbeddedServer
    access: Access
    paid: Provider

    @property
    def load(self) -> Load:
        """A load on this server that nobody has begun."""
        return Load(f"http://127.0.0.1:{self.server.port}/mcp")


@asynccontextmanager
async def embedded_field(folder: Path) -> AsyncIterator[Field]:
    """Yield a server that keeps its own Postgres, with the settings that users have."""
    async with provider(Guillotine(), folder / "book") as paid:
        env = environment(
            folder / "home", LOG_LEVEL="warning", REASONLOOM_TOOLSETS="all",
            REASONLOOM_LLM="langbase", LANGBASE_API_KEY="a-key", LANGBASE_BASE_URL=paid.url,
            REASONLOOM_LEASE_SECONDS="2",
            REASONLOOM_CLUSTER_HOURS="0", REASONLOOM_DECAY_HOURS="0",
        )  # fmt: skip
        postgres = EmbeddedServer(folder / "home" / "postgres")
        server = await cold(env, folder / "server")
        try:
            await ready(server.port)
            address = await asyncio.to_thread(postgres.ensure)
            yield Field(server, postgres, access_at(address, DATABASE, postgres), paid)
        finally:
            os.kill(server.pid, signal.SIGTERM)
            await asyncio.to_thread(server.code)
            await asyncio.to_thread(postgres.stop)


async def kill_postgres(folder: Path, times: int, seed: int) -> PostgresKills:
    """Kill a Postgres `times` times under load, by turns its postmaster and one of its backends."""
    found = PostgresKills(seed=seed)
    with no_other_orphans():
        async with embedded_field(folder) as ground:
            adds, load = await calm(ground), ground.load
            before = census(ground.access, OWNER)
            bill = _paid(ground)
            async with asyncio.TaskGroup() as group:
                for number in range(CLIENTS):
                    group.create_task(load.write(number, seed))
                await _killing(ground, load, times, found)
                load.enough.set()
            assert psutil.pid_exists(ground.server.pid), "the server did not live on"
            await _settled(ground, found)
            look(ground, load, before, adds, found)
            found.paid_again = _paid(ground) - bill - found.told["reasoning_linear"]
    return found


async def calm(ground: Field) -> dict[str, Census]:
    """Make each call twice while nobody kills; return the rows that the second of them adds."""
    added: dict[str, Census] = {}
    load = ground.load
    async with Client(load.url) as client:
        for tool in [*CALLS, *CALLS]:
            before = census(ground.access, OWNER)
            await load.call(client, tool)
            now = census(ground.access, OWNER)
            added[tool] = {name: now[name] - before[name] for name in now}
    return added


async def _killing(ground: Field, load: Load, times: int, found: PostgresKills) -> None:
    chance = random.Random(seed := found.seed)  # noqa: S311 - when and whom, no secret
    await _acknowledged(load, BETWEEN)
    for number in range(times):
        await asyncio.sleep(chance.uniform(0, 0.5))
        whom = ("postmaster", "backend")[(number + seed) % 2]
        at, known = asyncio.get_running_loop().time(), len(load.times)
        await asyncio.to_thread(strike, ground, whom)
        found.kills[whom] += 1
        try:
            await _acknowledged(load, known + BETWEEN)
        except TimeoutError:
            found.note(
                "else", 1, f"nothing was acknowledged for {COMEBACK:g} s after a {whom}'s end"
            )
            return
        found.comebacks.append(load.times[known + BETWEEN - 1] - at)


async def _acknowledged(load: Load, count: int) -> None:
    async with asyncio.timeout(COMEBACK):
        while len(load.times) < count:
            await asyncio.sleep(0.01)


def strike(ground: Field, whom: str) -> None:
    """Kill the postmaster, or a backend that is at work: then Postgres ends all the others."""
    pid = ground.postgres.status().pid
    if whom == "backend":
        name = "killer"
        with psycopg.connect(ground.access.admin, application_name=name) as connection:
            ((pid,), *_) = connection.execute(BACKENDS, (DATABASE, name)).fetchall()
    assert isinstance(pid, int)
    os.kill(pid, signal.SIGKILL)


async def _settled(ground: Field, found: PostgresKills) -> None:
    """Wait until no run is carried any more: each was finished, or told that it failed."""
    try:
        async with asyncio.timeout(COMEBACK):
            while counted(ground.access, LEASES, OWNER):
                await asyncio.sleep(0.1)
    except TimeoutError:
        found.note("unresumed", counted(ground.access, LEASES, OWNER), "runs without an end")


def look(
    ground: Field, load: Load, before: Census, adds: dict[str, Census], found: PostgresKills
) -> None:
    """Hold what is stored against what the clients were told."""
    found.told, found.again = Counter(load.told.values()), load.again
    for fault in load.faults:
        found.note("else", 1, fault)
    with psycopg.connect(ground.access.admin) as connection:
        runs = {row[0]: row[1:] for row in connection.execute(STATES, (OWNER,))}
        unfinished = _number(connection, UNFINISHED)
        vectorless, refused = _number(connection, VECTORLESS), _number(connection, TOLD_OF)
    found.note("lost", sum(key not in runs for key in load.told), "acknowledged keys without a run")
    found.note("doubled", sum(count > 1 for count, _ in runs.values()), "keys with two runs")
    found.note("unresumed", unfinished, "runs that are not done")
    found.note("half", vectorless, "memories without vectors")
    now = census(ground.access, OWNER)
    now["runs"] -= refused
    for table in sorted(set(now) - {*LOOSE, LEASES}):
        wanted = before[table] + sum(
            count * adds[tool][table] for tool, count in found.told.items()
        )
        kind = "lost" if now[table] < wanted else "doubled"
        found.note(kind, abs(now[table] - wanted), f"rows of {table}, {wanted} wanted, off by")


def _number(connection: psycopg.Connection[tuple[object, ...]], query: str) -> int:
    ((number,),) = connection.execute(query.encode(), (OWNER,)).fetchall()
    return int(str(number))


def _paid(ground: Field) -> int:
    book = ground.paid.book
    return len(book.read_text().splitlines()) if book.exists() else 0
