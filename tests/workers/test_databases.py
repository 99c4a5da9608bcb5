"""Workers of several databases: one queue, in the first, and each job where its owner lives."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.evals.core.run import run
from reasonloom.evals.core.system import System
from reasonloom.llm.embedding.wordllama import WordllamaEmbedder
from reasonloom.llm.interfaces import Embedder, LanguageModel
from reasonloom.settings import Settings, load_settings
from reasonloom.stores.queue.jobs import JobIds, Queue, open_queue
from reasonloom.stores.queue.tables import prepare_queue
from reasonloom.stores.servers.opening import queue_access
from reasonloom.workers import embedding
from reasonloom.workers.spread import Spread
from reasonloom.workers.worker import run_worker
from tests.stores.servers.test_move import moved
from tests.stores.servers.test_routing import NOWHERE
from tests.support.calls import remember
from tests.support.databases.postgres import running_server
from tests.support.evals.killed_process import Mortal
from tests.support.memory.housekeeping import silent
from tests.support.workers.process import PATIENT, paid
from tests.workers.test_evals import TREE, comparable, ways

OWNERS = {"anna": "one", "ben": "two", "eval *": "two", "lost": "away"}


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, str]]:
    """The URLs of a database on each of two servers, by name."""
    with ExitStack() as stack:
        running = {name: stack.enter_context(running_server()) for name in ("one", "two")}
        yield {
            name: server.address.dsn("postgres", stack.enter_context(server.clone()))
            for name, server in running.items()
        }


@pytest.fixture
def several(servers: dict[str, str], tmp_path: Path) -> Settings:
    """Settings with both databases, and one that is away."""
    lines = [f'{name} = "{url}"' for name, url in {**servers, "away": NOWHERE}.items()]
    homes = [f'"{owner}" = "{name}"' for owner, name in OWNERS.items()]
    path = tmp_path / "databases.toml"
    text = ['spread = ["one", "two"]', "[databases]", *lines, "[owners]", *homes]
    path.write_text("\n".join(text))
    return load_settings(databases=path, lease_seconds=PATIENT)


@asynccontextmanager
async def local_worker(
    settings: Settings, queue: str, llm: LanguageModel | None = None
) -> AsyncIterator[None]:
    """Run a worker in this process."""
    working = asyncio.create_task(run_worker(settings, [queue], llm=llm))
    try:
        yield
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


@asynccontextmanager
async def opened_queue(settings: Settings) -> AsyncIterator[Queue]:
    access = await queue_access(settings)
    await prepare_queue(access)
    async with open_queue(access) as queue:
        yield queue


def owners_in(url: str, table: str) -> set[str]:
    with psycopg.connect(url) as connection:
        query = f"SELECT DISTINCT owner FROM reasonloom.{table}"
        return {row[0] for row in connection.execute(query.encode())}


async def test_an_eval_gives_what_one_process_gives(
    several: Settings, servers: dict[str, str], tmp_path: Path
) -> None:
    alone, spread = Mortal(book=tmp_path / "alone"), Mortal(book=tmp_path / "spread")
    one = await run(ways(), System(TREE, llm=alone), log=tmp_path / "one.jsonl", settings=several)
    async with local_worker(several, "eval", spread):
        two = await run(
            ways(), System(Spread(TREE), llm=spread), log=tmp_path / "two.jsonl", settings=several
        )
    assert comparable(two.log) == comparable(one.log)
    assert sorted(paid(tmp_path / "spread")) == sorted(paid(tmp_path / "alone"))
    assert {each.split()[0] for each in owners_in(servers["two"], "runs")} == {"eval"}
    assert owners_in(servers["one"], "runs") == owners_in(servers["two"], "items") == set()
    with psycopg.connect(servers["two"]) as connection:
        queue = connection.execute("SELECT to_regclass('reasonloom_queue.step')").fetchone()
    assert queue == (None,)


async def test_memories_are_embedded_where_their_owners_live(
    several: Settings, servers: dict[str, str], embedder: Embedder
) -> None:
    other = WordllamaEmbedder()
    async with open_engine(several, embedder=embedder, recover=False) as engine:
        for owner in ("anna", "ben"):
            await remember(engine, f"The key of {owner} is in the drawer.", owner=owner)
        engine.loom = replace(engine.loom, embedder=other)
        async with local_worker(several, "embedding"):
            callers = [Caller("anna"), Caller("ben")]
            done = await embedding.embed_on_workers(engine.loom, callers, "wordllama", silent)
    assert done == 2
    for name, owner in (("one", "anna"), ("two", "ben")):
        with psycopg.connect(servers[name]) as connection:
            models = "SELECT DISTINCT model FROM reasonloom.embeddings WHERE owner = %s"
            assert (other.model,) in connection.execute(models, (owner,)).fetchall()


async def test_an_owner_whose_database_is_away_waits_and_the_others_go_on(
    several: Settings,
) -> None:
    async with opened_queue(several) as queue:
        for owner in ("lost", "anna", "ben"):
            await queue.enqueue("decay_space", "upkeep", JobIds(owner))
        async with local_worker(several, "upkeep"):
            while len(await queue.listed()) > 1:
                await asyncio.sleep(0.05)
            await asyncio.sleep(1)
        left = await queue.listed()
        assert [(job.ids.owner, job.status, job.attempts) for job in left] == [("lost", "todo", 0)]
        await queue.withdraw("decay_space", "lost", ["todo"])


async def test_a_job_follows_an_owner_who_has_moved(
    several: Settings, servers: dict[str, str], embedder: Embedder
) -> None:
    async with open_engine(several, embedder=embedder, recover=False) as engine:
        await remember(engine, "Emil lives here.", owner="emil")
    source = next(name for name, url in servers.items() if "emil" in owners_in(url, "memories"))
    target = "two" if source == "one" else "one"
    async with opened_queue(several) as queue:
        await queue.enqueue("decay_space", "upkeep", JobIds("emil"))
        await moved(several, source, target, owner="emil")
        async with local_worker(several, "upkeep"):
            while await queue.listed():
                await asyncio.sleep(0.05)
    assert "emil" not in owners_in(servers[source], "memories")
    assert "emil" in owners_in(servers[target], "memories")
