"""An owner moves between databases under load: nothing is lost, doubled or long in waiting."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Callable
from itertools import pairwise

import psycopg
import pytest

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.errors import Conflict, DatabaseUnavailable
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.sharing import administration
from reasonloom.settings import Settings
from reasonloom.stores.servers.layout import load_layout
from reasonloom.stores.servers.move import Moved, OwnerMove, nothing_to_do
from reasonloom.stores.servers.rows import bring, owned_tables, require_same
from reasonloom.stores.servers.survey import locate, survey
from tests.graphs.runs.test_engine import ScriptedLlm, thought
from tests.stores.servers.conftest import NAMES, WriteLayout
from tests.support.calls import call, recalled, remember

ANNA = "anna"
TABLES = """
SELECT relname FROM pg_class WHERE relnamespace = 'reasonloom'::regnamespace AND relkind = 'r'
AND relname NOT IN ('alembic_version', 'checkpoint_migrations', 'pinned_embedder', 'owner_moves')
"""
POINTS = (
    "begun", "copied", "caught up", "compared", "stopped", "compared the rest", "copy committed",
    "switched", "deleted", "ended",
)  # fmt: skip
SWITCHED = POINTS.index("switched")


def rows(url: str, owner: str = ANNA) -> dict[str, int]:
    """Return the number of an owner's rows by table."""
    with psycopg.connect(url) as connection:
        counts = {}
        for (table,) in connection.execute(TABLES).fetchall():
            whose = "left(thread_id, -37)" if table.startswith("checkpoint") else "owner"
            query = f"SELECT count(*) FROM reasonloom.{table} WHERE {whose} = %s"
            ((counts[table],),) = connection.execute(query.encode(), (owner,)).fetchall()
    return {table: count for table, count in counts.items() if count}


def contents(url: str, owner: str = ANNA) -> list[str]:
    with psycopg.connect(url) as connection:
        query = "SELECT content FROM reasonloom.memories WHERE owner = %s ORDER BY content"
        return [str(row[0]) for row in connection.execute(query, (owner,))]


async def moved(
    settings: Settings,
    source: str,
    target: str,
    owner: str = ANNA,
    reached: Callable[[str], None] = nothing_to_do,
) -> Moved:
    layout = load_layout(settings)
    epoch = (await locate(layout, owner)).epoch
    move = OwnerMove(layout, owner, source, target, epoch=epoch, reached=reached)
    return await asyncio.to_thread(move.run)


async def fill(engine: Engine, owner: str = ANNA, size: int = 20) -> None:
    for number in range(size):
        await remember(engine, f"Fact {number} of {owner}.", owner=owner)


async def test_all_of_an_owner_moves_and_nobody_else(
    several: Settings, urls: dict[str, str], embedder: Embedder
) -> None:
    llm = ScriptedLlm(thought("Home."), thought("Home."))
    async with open_engine(several, llm=llm, embedder=embedder, recover=False) as engine:
        await fill(engine)
        await fill(engine, "team/red")
        await call(engine, "reasoning_linear", {"content": "Where now?"}, owner=ANNA)
        await engine.journal.flush()
        before, others = rows(urls["one"]), rows(urls["two"], "team/red")
        done = await moved(several, "one", "two")
        assert rows(urls["one"]) == {}
        assert rows(urls["two"]) == before == done.rows
        assert {"memories", "embeddings", "terms", "runs", "checkpoints", "thoughts"} < set(before)
        assert rows(urls["two"], "team/red") == others
        await remember(engine, "Anna lives in two now.", owner=ANNA)
        assert await recalled(engine, "Where does Anna live?", owner=ANNA, limit=1) == [
            "Anna lives in two now."
        ]
        await call(engine, "reasoning_linear", {"content": "And then?"}, owner=ANNA)
    assert "Anna lives in two now." in contents(urls["two"])
    assert rows(urls["one"]) == {}


async def test_an_owner_moves_on_and_comes_home(
    several: Settings, urls: dict[str, str], embedder: Embedder
) -> None:
    layout = load_layout(several)
    way = ["one", "two", "three", "one", "two", "one"]
    async with (
        open_engine(several, embedder=embedder, recover=False) as engine,
        open_engine(several, embedder=embedder, recover=False) as sleeper,
    ):
        await fill(engine)
        await recalled(sleeper, "fact", owner=ANNA)
        for number, (source, target) in enumerate(pairwise(way)):
            await moved(several, source, target)
            await remember(engine, f"Move {number}: from {source} to {target}.", owner=ANNA)
            assert (await locate(layout, ANNA)).place == target
            assert [name for name in NAMES if rows(urls[name])] == [target]
            async with open_engine(several, embedder=embedder, recover=False) as newcomer:
                assert len(await recalled(newcomer, "fact", owner=ANNA, limit=50)) > 20
        await remember(sleeper, "I slept all the time.", owner=ANNA)
    assert len(contents(urls["one"])) == 20 + 5 + 1
    assert (await survey(layout)).stranded == []


async def test_an_owner_moves_under_load(
    several: Settings, urls: dict[str, str], embedder: Embedder
) -> None:
    await move_under_load(several, urls, embedder)


@pytest.mark.slow
async def test_an_owner_moves_between_servers_under_load(
    servers: dict[str, str], layout_file: WriteLayout, embedder: Embedder
) -> None:
    await move_under_load(layout_file(servers), servers, embedder, size=200)


async def move_under_load(
    several: Settings, urls: dict[str, str], embedder: Embedder, size: int = 100
) -> None:
    """Two engines write, recall and delete while the owner moves twice."""
    answered: list[str] = []
    over = asyncio.Event()

    async def writes(engine: Engine, writer: int) -> None:
        number = 0
        while not over.is_set():
            text = f"Fact {writer}-{number:05}."
            memory = await remember(engine, text, owner=ANNA)
            if number % 5 == 4:
                await call(engine, "forget", {"memoryId": memory, "userId": ANNA}, owner=ANNA)
            else:
                answered.append(text)
            await recalled(engine, text, owner=ANNA, limit=1)
            number += 1

    async with (
        open_engine(several, embedder=embedder, recover=False) as first,
        open_engine(several, embedder=embedder, recover=False) as second,
    ):
        await fill(first, size=size)
        async with asyncio.TaskGroup() as group:
            for writer in range(4):
                group.create_task(writes((first, second)[writer % 2], writer))
            await asyncio.sleep(0.5)
            paused = [
                (await moved(several, source, target)).paused
                for source, target in (("one", "two"), ("two", "three"))
            ]
            await asyncio.sleep(0.5)
            over.set()
    expected = sorted([*answered, *(f"Fact {number} of anna." for number in range(size))])
    assert max(paused) < 2
    assert rows(urls["one"]) == rows(urls["two"]) == {}
    assert contents(urls["three"]) == expected
    print(f"{len(answered)} writes, pauses {paused}")


async def test_what_waits_for_a_switch_goes_on_in_the_new_place(
    several: Settings, urls: dict[str, str], embedder: Embedder
) -> None:
    async with open_engine(several, embedder=embedder, recover=False) as engine:
        await fill(engine)
        loop = asyncio.get_running_loop()
        waiting: list[asyncio.Future[str]] = []

        def write(point: str) -> None:
            if point in ("begun", "stopped"):
                work = asyncio.run_coroutine_threadsafe(
                    remember(engine, f"Written when {point}.", owner=ANNA), loop
                )
                waiting.append(asyncio.wrap_future(work, loop=loop))

        await moved(several, "one", "two", reached=write)
        await asyncio.gather(*waiting)
    assert {"Written when begun.", "Written when stopped."} < set(contents(urls["two"]))
    assert rows(urls["one"]) == {}


async def test_a_member_writes_to_a_team_that_moves(
    several: Settings, urls: dict[str, str], embedder: Embedder
) -> None:
    """What a member has been acknowledged is in the target, and all after the switch is refused."""
    team, layout = "team/red", load_layout(several)
    member = next(f"m{n}" for n in range(100) if layout.home_of(f"m{n}") == "two")
    async with (
        open_engine(several, embedder=embedder, recover=False) as engine,
        open_engine(several, embedder=embedder, recover=False) as sleeper,
    ):
        await administration.create_team(engine.loom, Caller(member), "red")

        async def write(content: str, by: Engine = engine) -> str:
            given = {"content": content, "primarySector": "semantic", "space": team}
            await call(by, "remember", given, owner=member)
            return content

        acknowledged = {await write("Before."), await write("Before, too.", sleeper)}
        loop = asyncio.get_running_loop()
        attempts: list[asyncio.Future[str]] = []

        def begin_write(point: str) -> None:
            if point in ("begun", "caught up", "stopped", "switched", "ended"):
                work = asyncio.run_coroutine_threadsafe(write(f"When {point}."), loop)
                attempts.append(asyncio.wrap_future(work, loop=loop))
                work.result(20) if point == "begun" else None

        await moved(several, "two", "three", owner=team, reached=begin_write)
        outcomes = await asyncio.gather(*attempts, return_exceptions=True)
        acknowledged |= {each for each in outcomes if isinstance(each, str)}
        for by in (engine, sleeper):
            with pytest.raises(Conflict, match="another database"):
                await write("After.", by)
        assert "When begun." in acknowledged
        assert "When ended." not in acknowledged
        assert set(contents(urls["three"], team)) == acknowledged
        assert rows(urls["two"], team) == {}
        await moved(several, "two", "three", owner=member)
        acknowledged.add(await write("Together again.", sleeper))
    assert set(contents(urls["three"], team)) == acknowledged


def dies_at(settings: Settings, fatal: str) -> None:
    def reached(point: str) -> None:
        if point == fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    OwnerMove(load_layout(settings), ANNA, "one", "two", epoch=0, reached=reached).run()


async def killed(settings: Settings, point: str) -> None:
    process = multiprocessing.get_context("spawn").Process(target=dies_at, args=(settings, point))
    process.start()
    await asyncio.to_thread(process.join)
    assert process.exitcode == -signal.SIGKILL


@pytest.mark.parametrize("point", POINTS)
async def test_a_killed_move_is_resumed(
    point: str, several: Settings, urls: dict[str, str], embedder: Embedder
) -> None:
    async with open_engine(several, embedder=embedder, recover=False) as engine:
        await fill(engine)
        await killed(several, point)
        await remember(engine, "Written after the crash.", owner=ANNA)
        switched = POINTS.index(point) >= SWITCHED
        place, _, unfinished = await locate(load_layout(several), ANNA)
        assert place == ("two" if switched else "one")
        assert unfinished == (None if point == "ended" else ("one", "two"))
        await moved(several, "one", "two") if unfinished else None
        assert len(await recalled(engine, "fact", owner=ANNA, limit=50)) > 20 - 1
    assert len(contents(urls["two"])) == 21
    assert rows(urls["one"]) == {}
    assert (await locate(load_layout(several), ANNA)) == ("two", 1, None)


@pytest.mark.parametrize("point", ["copied", "copy committed", "switched"])
async def test_a_killed_move_is_aborted_unless_it_was_switched(
    point: str, several: Settings, urls: dict[str, str], embedder: Embedder
) -> None:
    async with open_engine(several, embedder=embedder, recover=False) as engine:
        await fill(engine)
        await killed(several, point)
        abort = OwnerMove(load_layout(several), ANNA, "one", "two", epoch=0).abort
        if point == "switched":
            with pytest.raises(Conflict, match="only --resume"):
                await asyncio.to_thread(abort)
            return
        await asyncio.to_thread(abort)
        assert rows(urls["two"]) == {}
        assert (await locate(load_layout(several), ANNA)) == ("one", 0, None)
        await remember(engine, "Written after the crash.", owner=ANNA)
    assert len(contents(urls["one"])) == 21


async def test_what_looked_before_another_move_ended_changes_nothing(
    several: Settings, urls: dict[str, str], embedder: Embedder
) -> None:
    """Whoever waits for the other mover's lock may know an owner's former place only."""
    layout = load_layout(several)
    async with open_engine(several, embedder=embedder, recover=False) as engine:
        await fill(engine)
        late = OwnerMove(layout, ANNA, "one", "two", epoch=0)
        elsewhere = OwnerMove(layout, ANNA, "one", "three", epoch=0)
        await moved(several, "one", "two")
        for attempt in (late.abort, late.run, elsewhere.abort, elsewhere.run):
            with pytest.raises(Conflict, match="has moved meanwhile"):
                await asyncio.to_thread(attempt)
        with pytest.raises(Conflict, match="nothing to abort"):
            await asyncio.to_thread(OwnerMove(layout, ANNA, "two", "three", epoch=1).abort)
        assert (await locate(layout, ANNA)) == ("two", 1, None)
        assert len(contents(urls["two"])) == 20
        assert [name for name in NAMES if rows(urls[name])] == ["two"]


@pytest.mark.parametrize("begun", [1, 3])
async def test_a_move_begun_by_another_epoch_is_not_touched(
    begun: int, several: Settings, urls: dict[str, str], embedder: Embedder
) -> None:
    async with open_engine(several, embedder=embedder, recover=False) as engine:
        await fill(engine)
    with psycopg.connect(urls["one"]) as connection:
        begin = "INSERT INTO reasonloom.owner_moves VALUES ('anna', 'two', %s, 'copying')"
        connection.execute(begin, (begun,))
    late = OwnerMove(load_layout(several), ANNA, "one", "two", epoch=1)
    for attempt in (late.abort, late.run):
        with pytest.raises(Conflict, match="has moved meanwhile"):
            await asyncio.to_thread(attempt)


async def test_a_copy_that_differs_is_not_switched_to(
    several: Settings, urls: dict[str, str], embedder: Embedder
) -> None:
    access = load_layout(several).accesses["two"]

    def spoil(point: str) -> None:
        if point == "caught up":
            with psycopg.connect(access.admin) as connection:
                connection.execute("UPDATE memories SET strength = 0 WHERE id = 7")

    async with open_engine(several, embedder=embedder, recover=False) as engine:
        await fill(engine)
        with pytest.raises(Conflict, match="differs from its source"):
            await moved(several, "one", "two", reached=spoil)
        assert (await locate(load_layout(several), ANNA)).place == "one"
        await moved(several, "one", "two")
    assert len(contents(urls["two"])) == 20


async def test_changes_are_found_after_four_billion_transactions(
    several: Settings, urls: dict[str, str], embedder: Embedder
) -> None:
    """Rows store only the lower 32 bits of the numbers in which the passes are measured."""
    async with open_engine(several, embedder=embedder, recover=False) as engine:
        await fill(engine, size=2)
    with psycopg.connect(urls["one"]) as source, psycopg.connect(urls["two"]) as target:
        for each in (source, target):
            each.execute("SET search_path = reasonloom, public")
            each.execute("SET session_replication_role = replica")
        tables = [each for each in owned_tables(source, ANNA) if each.name == "memories"]
        assert bring(source, target, tables, str(2**32 + 700)) == tables
        require_same(source, target, tables, None)
        target.rollback()


async def test_a_place_with_rows_of_the_owner_is_refused(
    several: Settings, urls: dict[str, str], embedder: Embedder
) -> None:
    async with open_engine(several, embedder=embedder, recover=False) as engine:
        await fill(engine)
    with psycopg.connect(urls["two"]) as connection:
        connection.execute("INSERT INTO reasonloom.owners (owner) VALUES ('anna')")
    with pytest.raises(Conflict, match="two has rows of this owner in owners"):
        await moved(several, "one", "two")


async def test_two_movers_of_one_owner_do_not_meet(
    several: Settings, urls: dict[str, str], embedder: Embedder
) -> None:
    async with open_engine(several, embedder=embedder, recover=False) as engine:
        await fill(engine)

    def second(point: str) -> None:
        if point == "copied":
            with pytest.raises(Conflict, match="another process"):
                OwnerMove(load_layout(several), ANNA, "one", "two", epoch=0).run()

    await moved(several, "one", "two", reached=second)
    assert len(contents(urls["two"])) == 20


async def test_without_the_target_nothing_begins(several: Settings, embedder: Embedder) -> None:
    assert several.databases
    text = several.databases.read_text()
    several.databases.write_text(
        text.replace("[owners]", 'far = "postgresql://a@127.0.0.1:1/b"\n[owners]')
    )
    with pytest.raises(DatabaseUnavailable):
        await moved(several, "one", "far")
    assert (await locate(load_layout(several), ANNA)) == ("one", 0, None)
