"""A streaming standby: failover to it, and searches that it answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import text

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.errors import DatabaseUnavailable, SettingMistake
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.settings import load_settings
from reasonloom.stores.access import find_access
from tests.stores.servers.test_move import moved
from tests.support.calls import recalled, remember
from tests.support.databases.postgres import TestPostgres
from tests.support.databases.standby import Pair, followed_server

pytestmark = pytest.mark.slow
ANNA = Caller("anna")
ON_STANDBY = text("SELECT pg_is_in_recovery()")


@pytest.fixture
def pair(request: pytest.FixtureRequest) -> Iterator[Pair]:
    with followed_server(synchronous=request.param) as made:
        yield made


async def on_standby(engine: Engine, caller: Caller = ANNA) -> bool:
    """Return whether the standby answers a search now."""
    async with engine.loom.database.begin(caller, searching=True, reads=True) as tx:
        return bool((await tx.one(ON_STANDBY))[0])


async def until_on_standby(engine: Engine, caller: Caller = ANNA, seconds: float = 20) -> float:
    """Wait until the standby answers; return how long that took."""
    started = time.monotonic()
    while not await on_standby(engine, caller):
        assert time.monotonic() - started < seconds
        await asyncio.sleep(0.05)
    return time.monotonic() - started


@pytest.mark.parametrize("pair", [True], indirect=True)
async def test_a_promoted_standby_has_all_that_was_acknowledged(
    pair: Pair, embedder: Embedder
) -> None:
    acknowledged: list[str] = []
    times: list[float] = []

    async def writes(writer: int) -> None:
        for number in range(1_000):
            content = f"Fact {writer}-{number:04}."
            try:
                await remember(engine, content, owner="anna")
            except DatabaseUnavailable:
                await asyncio.sleep(0.05)
            else:
                acknowledged.append(content)
                times.append(time.monotonic())
            if over and len([each for each in times if each > over[0]]) > 20:
                return

    over: list[float] = []
    settings = load_settings(database_url=pair.both_url)
    async with open_engine(settings, embedder=embedder, recover=False) as engine:
        work = asyncio.gather(*(writes(writer) for writer in range(4)))
        while len(acknowledged) < 40:
            await asyncio.sleep(0.05)
        killed = time.monotonic()
        pair.kill_primary()
        await asyncio.sleep(0.5)
        before = max(times)
        await asyncio.to_thread(pair.promote)
        promoted = time.monotonic()
        over.append(promoted)
        await work
    first = min(each for each in times if each > promoted)
    with psycopg.connect(pair.standby_url) as connection:
        found = connection.execute("SELECT content FROM reasonloom.memories").fetchall()
    stored = [str(row[0]) for row in found]
    assert set(acknowledged) <= set(stored)
    assert len(stored) == len(set(stored))
    print(
        f"{len(acknowledged)} acknowledged; killed 0 s, last answer {before - killed:.2f} s, "
        f"promoted {promoted - killed:.2f} s, first answer {first - killed:.2f} s"
    )


@pytest.mark.parametrize("pair", [False], indirect=True)
async def test_searches_go_to_the_standby_once_it_has_what_the_owner_wrote(
    pair: Pair, embedder: Embedder
) -> None:
    settings = load_settings(database_url=pair.primary_url, read_url=pair.standby_url)
    async with open_engine(settings, embedder=embedder, recover=False) as engine:
        await remember(engine, "The key is in the drawer.", owner="anna")
        assert await recalled(engine, "key", owner="anna") == ["The key is in the drawer."]
        waits = []
        for number in range(5):
            await remember(engine, f"Fact {number}.", owner="anna")
            assert not await on_standby(engine)
            assert f"Fact {number}." in await recalled(engine, f"Fact {number}", owner="anna")
            waits.append(await until_on_standby(engine))
        assert len(await recalled(engine, "Fact", owner="anna")) == 5
        await engine.journal.flush()
        assert await on_standby(engine), "records of reads must not send readers to the primary"
        assert await on_standby(engine, Caller("ben"))
    print(f"seconds until the standby had a write: {[round(each, 2) for each in waits]}")


@pytest.mark.parametrize("pair", [False], indirect=True)
async def test_an_owner_who_moved_is_not_looked_for_on_a_standby_without_it(
    pair: Pair, postgres: TestPostgres, tmp_path: Path, embedder: Embedder
) -> None:
    path = tmp_path / "databases.toml"
    with postgres.clone() as name:
        path.write_text(
            f'[databases]\none = "{postgres.address.dsn("postgres", name)}"\n'
            f'two = {{url = "{pair.primary_url}", read_url = "{pair.standby_url}"}}\n'
            "[owners]\n'*' = 'two'\nanna = 'one'\n"
        )
        settings = load_settings(databases=path)
        async with open_engine(settings, embedder=embedder, recover=False) as engine:
            await remember(engine, "The key is in the drawer.", owner="anna")
            await until_on_standby(engine, Caller("ben"))
            with psycopg.connect(pair.standby_url, autocommit=True) as connection:
                connection.execute("SELECT pg_wal_replay_pause()")
                await moved(settings, "one", "two")
                assert await on_standby(engine, Caller("ben")), "the standby must be in use"
                assert await recalled(engine, "key", owner="anna") == ["The key is in the drawer."]
                connection.execute("SELECT pg_wal_replay_resume()")
            await until_on_standby(engine)
            assert await recalled(engine, "key", owner="anna") == ["The key is in the drawer."]


@pytest.mark.parametrize("pair", [False], indirect=True)
async def test_a_standby_that_stops_following_is_not_used(pair: Pair, embedder: Embedder) -> None:
    settings = load_settings(database_url=pair.primary_url, read_url=pair.standby_url)
    async with open_engine(settings, embedder=embedder, recover=False) as engine:
        await until_on_standby(engine)
        with psycopg.connect(pair.standby_url, autocommit=True) as connection:
            connection.execute("SELECT pg_wal_replay_pause()")
        await remember(engine, "The key is in the drawer.", owner="anna")
        await asyncio.sleep(1.5)
        assert not await on_standby(engine)
        assert await recalled(engine, "key", owner="anna") == ["The key is in the drawer."]
        assert await on_standby(engine, Caller("ben")), "it is behind by less than 5 s"
        await asyncio.sleep(5)
        assert not await on_standby(engine, Caller("ben"))


@pytest.mark.parametrize("pair", [False], indirect=True)
async def test_a_search_goes_on_without_its_standby(pair: Pair, embedder: Embedder) -> None:
    settings = load_settings(database_url=pair.primary_url, read_url=pair.standby_url)
    async with open_engine(settings, embedder=embedder, recover=False) as engine:
        await remember(engine, "The key is in the drawer.", owner="anna")
        await until_on_standby(engine)
        pair.control("-m", "immediate", "stop")
        for _ in range(3):
            assert await recalled(engine, "key", owner="anna") == ["The key is in the drawer."]
        pair.start()
        await until_on_standby(engine)


async def test_a_standby_needs_its_primary() -> None:
    with pytest.raises(SettingMistake, match="DATABASE_READ_URL: needs DATABASE_URL"):
        await find_access(load_settings(read_url="postgresql://localhost/x"))
    with pytest.raises(SettingMistake, match="DATABASE_READ_URL: must be postgresql://"):
        url = "postgresql://localhost/x"
        await find_access(load_settings(database_url=url, read_url="standby:5432"))
