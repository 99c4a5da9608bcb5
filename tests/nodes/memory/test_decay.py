"""Strength falls by one formula however often the job runs, and never to nothing."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as tries
from hypothesis import strategies as st
from sqlalchemy import text

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.graphs.background_jobs import SalienceDecay
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.memory.maintenance.decay_job import (
    preview_all,
    preview_space,
    weaken_all,
    weaken_space,
)
from reasonloom.settings import Settings, load_settings
from reasonloom.stores.access import Access
from reasonloom.stores.memory import decay
from reasonloom.stores.memory.decay import FLOOR
from tests.support.calls import call, recalled, remember
from tests.support.clock import Clock

OWNER = Caller("local")
ROWS = text("SELECT * FROM memories ORDER BY id")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def engine(
    settings: Settings, access: Access, embedder: Embedder, clock: Clock
) -> AsyncIterator[Engine]:
    """An engine whose time a test moves."""
    async with open_engine(settings, access=access, embedder=embedder, clock=clock) as opened:
        yield opened


async def rows(engine: Engine, caller: Caller = OWNER) -> list[Any]:
    async with engine.loom.database.begin(caller) as tx:
        return list(await tx.all(ROWS))


async def strength(engine: Engine, caller: Caller = OWNER) -> float:
    (row,) = await rows(engine, caller)
    return float(row.strength)


async def change(engine: Engine, caller: Caller = OWNER, **columns: Any) -> None:
    assignments = ", ".join(f"{name} = :{name}" for name in columns)
    async with engine.loom.database.begin(caller) as tx:
        await tx.run(text(f"UPDATE memories SET {assignments}"), columns)


async def weakened(engine: Engine, caller: Caller = OWNER) -> decay.Weakened:
    return await weaken_space(engine.loom.database, caller, engine.loom.clock())


async def accessed(engine: Engine, caller: Caller = OWNER) -> None:
    async with engine.loom.database.begin(caller) as tx:
        await decay.reinforce(tx, [1], engine.loom.clock())


def faded(strength: float, *, rate: float, importance: float, accesses: int, days: float) -> float:
    """Return what the documented formula gives."""
    slowed = rate * (1 - 0.5 * importance) / (1 + math.log(1 + accesses))
    return max(FLOOR, strength * math.exp(-slowed * days)) if strength > FLOOR else strength


@pytest.mark.parametrize(
    ("sector", "rate"),
    [
        ("episodic", 0.03),
        ("emotional", 0.025),
        ("reflective", 0.02),
        ("procedural", 0.015),
        ("semantic", 0.01),
    ],
)
async def test_a_sector_fades_at_its_rate(
    engine: Engine, clock: Clock, sector: str, rate: float
) -> None:
    await remember(engine, "Green tea.", primarySector=sector, metadata={"importance": 0.4})
    clock.move(days=10)
    result = await weakened(engine)
    expected = faded(1, rate=rate, importance=0.4, accesses=0, days=10)
    assert await strength(engine) == pytest.approx(expected)
    assert (result.memories, result.before) == (1, 1.0)
    assert result.after == pytest.approx(expected)


async def test_the_memorys_own_rate_counts_and_accesses_slow_it(
    engine: Engine, clock: Clock
) -> None:
    await remember(engine, "Green tea.", metadata={"importance": 1})
    await change(engine, decay_rate=0.2, access_count=9)
    clock.move(days=7)
    await weakened(engine)
    expected = faded(1, rate=0.2, importance=1, accesses=9, days=7)
    assert await strength(engine) == pytest.approx(expected) == pytest.approx(0.8090, abs=1e-4)


async def test_twice_at_the_same_moment_changes_nothing(engine: Engine, clock: Clock) -> None:
    await remember(engine, "Green tea.")
    clock.move(days=30)
    assert (await weakened(engine)).memories == 1
    before = await rows(engine)
    assert (await weakened(engine)).memories == 0
    assert await rows(engine) == before


async def test_only_the_strength_and_its_time_change(engine: Engine, clock: Clock) -> None:
    await remember(engine, "Green tea.", metadata={"tags": ["a"]})
    (before,) = await rows(engine)
    clock.move(days=30)
    await weakened(engine)
    (after,) = await rows(engine)
    differing = {name for name in before._fields if getattr(before, name) != getattr(after, name)}
    assert differing == {"strength", "decayed_at"}


async def test_an_unread_memory_never_reaches_zero_and_is_never_deleted(
    engine: Engine, clock: Clock
) -> None:
    await remember(engine, "Green tea.", primarySector="episodic", metadata={"importance": 0})
    for _ in range(3):
        clock.move(days=365 * 300)
        await weakened(engine)
    assert await strength(engine) == FLOOR > 0
    assert await recalled(engine, "green tea") == ["Green tea."]
    assert (await weakened(engine)).memories == 0


@pytest.mark.parametrize("low", [0.0, 1e-320, 0.01, FLOOR])
async def test_what_somebody_set_below_the_floor_stays(
    engine: Engine, clock: Clock, low: float
) -> None:
    memory = await remember(engine, "Green tea.")
    await call(engine, "update_memory", {"userId": "local", "memoryId": memory, "strength": low})
    clock.move(days=100)
    await weakened(engine)
    assert await strength(engine) == low


EVENTS = st.lists(
    st.tuples(st.floats(0, 400), st.sampled_from(["access", "decay"])), min_size=1, max_size=12
)


@tries(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(events=[(0.0, "access"), (1e-9, "decay")], start=5e-324, rate=5e-324, importance=5e-324)
@given(
    events=EVENTS,
    start=st.floats(0, 1),
    rate=st.floats(0, 0.5) | st.just(1e308),
    importance=st.floats(0, 1),
)
async def test_strength_depends_on_accesses_and_not_on_runs_of_the_job(
    engine: Engine,
    clock: Clock,
    events: list[tuple[float, str]],
    start: float,
    rate: float,
    importance: float,
) -> None:
    """One owner's job runs between accesses as often as drawn, the other's once at the end."""
    often, seldom = Caller("often"), Caller("seldom")
    for caller in (often, seldom):
        if not await rows(engine, caller):
            await remember(engine, "Green tea.", owner=caller.owner)
        await change(
            engine, caller, strength=start, decay_rate=rate, importance=importance,
            access_count=0, last_accessed=clock.at, decayed_at=None,
        )  # fmt: skip
    for hours, event in events:
        clock.move(hours=hours)
        if event == "decay":
            await weakened(engine, often)
        else:
            await accessed(engine, often)
            await accessed(engine, seldom)
    await weakened(engine, often)
    await weakened(engine, seldom)
    one, other = await strength(engine, often), await strength(engine, seldom)
    assert one == pytest.approx(other, abs=1e-9)
    assert min(start, FLOOR) <= one <= 1


async def test_a_recall_strengthens_half_as_much_within_an_hour(
    engine: Engine, clock: Clock
) -> None:
    await remember(engine, "Green tea.")
    await change(engine, strength=0.5, decay_rate=0)
    for hours, expected in ((2, 0.525), (0.5, 0.536875), (0.9, 0.548453), (1, 0.571030)):
        clock.move(hours=hours)
        assert await recalled(engine, "green tea") == ["Green tea."]
        await engine.journal.flush()
        assert await strength(engine) == pytest.approx(expected, abs=1e-6)
    (row,) = await rows(engine)
    assert (row.access_count, row.last_accessed) == (4, clock.at)


async def test_no_number_of_accesses_goes_beyond_one(engine: Engine, clock: Clock) -> None:
    await remember(engine, "Green tea.")
    await change(engine, strength=0.0)
    for _ in range(400):
        clock.move(minutes=61)
        await accessed(engine)
    assert 0.9 < await strength(engine) <= 1


async def test_a_change_of_importance_counts_from_now_on(engine: Engine, clock: Clock) -> None:
    memory = await remember(engine, "Green tea.", metadata={"importance": 0})
    clock.move(days=50)
    change_it = {"userId": "local", "memoryId": memory, "metadata": {"importance": 1}}
    answer = (await call(engine, "update_memory", change_it)).answer
    settled = faded(1, rate=0.01, importance=0, accesses=0, days=50)
    assert answer["strength"] == pytest.approx(settled) == await strength(engine)
    clock.move(days=50)
    await weakened(engine)
    expected = faded(settled, rate=0.01, importance=1, accesses=0, days=50)
    assert await strength(engine) == pytest.approx(expected)


async def test_a_strength_that_is_set_fades_from_then_on(engine: Engine, clock: Clock) -> None:
    memory = await remember(engine, "Green tea.", metadata={"importance": 0})
    clock.move(days=50)
    for given_strength in (1.0, 0.8):
        new = {"userId": "local", "memoryId": memory, "strength": given_strength}
        answer = (await call(engine, "update_memory", new)).answer
        assert answer["strength"] == given_strength == await strength(engine)
    clock.move(days=10)
    await weakened(engine)
    expected = faded(0.8, rate=0.01, importance=0, accesses=0, days=10)
    assert await strength(engine) == pytest.approx(expected)


async def test_every_batch_and_every_place_is_reached(engine: Engine, clock: Clock) -> None:
    for number in range(7):
        await remember(engine, f"Fact {number}.")
        same = {"userId": "guest", "sessionId": f"s{number}"}  # of one content, seven times
        await remember(engine, "Green tea.", **same)
    await remember(engine, "Green tea.", owner="ben")
    await call(engine, "reasoning_linear", {"content": "Which tea?"})
    clock.move(days=10)
    database, at = engine.loom.database, clock.at
    guests = OWNER.within("guest")
    assert (await preview_space(database, guests, at)).memories == 7
    assert (await preview_all(database, at)).memories == 16
    assert (await weaken_space(database, guests, at, batch=3)).memories == 7
    result = await weaken_all(database, at=at, due=at)
    assert result.memories == 9
    assert (await preview_all(database, at)).memories == 0
    for caller in (OWNER, guests, Caller("ben")):
        assert all(row.strength < 1 for row in await rows(engine, caller))


async def test_a_dry_run_foretells_exactly_and_changes_nothing(
    engine: Engine, clock: Clock
) -> None:
    for number in range(5):
        await remember(engine, f"Fact {number}.", metadata={"importance": number / 4})
    clock.move(days=40)
    before = await rows(engine)
    foretold = await preview_all(engine.loom.database, clock.at)
    assert await rows(engine) == before
    done = await weaken_all(engine.loom.database, at=clock.at, due=clock.at)
    assert (foretold.memories, foretold.before) == (done.memories, done.before) == (5, 5.0)
    assert foretold.after == pytest.approx(done.after)


async def test_two_at_once_weaken_each_memory_once(
    engine: Engine, settings: Settings, access: Access, embedder: Embedder, clock: Clock
) -> None:
    for number in range(30):
        await remember(engine, f"Fact {number}.", owner=f"owner {number % 6}")
    clock.move(days=10)
    async with open_engine(settings, access=access, embedder=embedder, clock=clock) as other:
        results = await asyncio.gather(
            *(
                weaken_all(each.loom.database, at=clock.at, due=clock.at)
                for each in (engine, other, engine, other)
            )
        )
        places = [
            weaken_space(each.loom.database, Caller("owner 1"), clock.at + timedelta(days=5))
            for each in (engine, other)
        ]
        again = await asyncio.gather(*places)
    assert sum(result.memories for result in results) == 30
    assert sum(result.memories for result in again) == 5
    expected = faded(1, rate=0.01, importance=0.5, accesses=0, days=15)
    for row in await rows(engine, Caller("owner 1")):
        assert row.strength == pytest.approx(expected)


async def test_a_memory_that_is_held_is_left_to_the_next_time(engine: Engine, clock: Clock) -> None:
    await remember(engine, "Green tea.")
    await remember(engine, "Black coffee.")
    clock.move(days=10)
    async with engine.loom.database.begin(OWNER) as tx:
        await tx.run(text("SELECT FROM memories WHERE id = 1 FOR UPDATE"))
        async with asyncio.timeout(5):
            assert (await weakened(engine)).memories == 1
    clock.move(days=10)
    assert (await weakened(engine)).memories == 2
    held, free = await rows(engine)
    assert held.strength == pytest.approx(free.strength)


async def test_words_are_not_counted_anew(engine: Engine, access: Access, clock: Clock) -> None:
    """Whatever counts words breaks here: so the job did not ask for it."""
    memory = await remember(engine, "Green tea.")
    with psycopg.connect(access.admin) as connection:
        for function in ("count_terms_update", "index_words"):
            connection.execute(
                f"CREATE OR REPLACE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql "
                "AS $$ BEGIN RAISE EXCEPTION 'planted'; END $$".encode()
            )
    clock.move(days=10)
    assert (await weakened(engine)).memories == 1
    with pytest.raises(Exception, match=r"planted|Internal|defect|broke"):
        await call(
            engine, "update_memory", {"userId": "local", "memoryId": memory, "content": "Milk."}
        )


async def test_the_job_sees_no_more_than_it_must(engine: Engine) -> None:
    await remember(engine, "Green tea.", userId="guest")
    async with engine.loom.database.recovering() as tx:
        for table in ("memories", "terms", "owners", "sessions", "edges", "embeddings"):
            query = text(f"SELECT count(*) FROM {table}")
            assert await tx.number(query) == 0
        assert await tx.number(text("SELECT count(*) FROM spaces")) == 1
    async with engine.loom.database.begin(Caller("ben")) as tx:
        assert await tx.all(text("SELECT * FROM spaces")) == []


async def test_a_server_weakens_once_in_its_interval(engine: Engine, clock: Clock) -> None:
    await remember(engine, "Green tea.")
    clock.move(days=10)
    first = clock.at
    assert await decayed_at(engine) == first
    clock.move(hours=23)
    assert await decayed_at(engine) == first
    clock.move(hours=2)
    assert await decayed_at(engine) == clock.at


async def decayed_at(engine: Engine) -> datetime:
    """Return when the memory was weakened last, after a server has looked around."""
    task = asyncio.create_task(SalienceDecay(engine.loom, first_pause=0).run())
    await asyncio.sleep(0.5)
    task.cancel()
    (row,) = await rows(engine)
    assert isinstance(row.decayed_at, datetime)
    return row.decayed_at


@pytest.mark.parametrize(
    ("given_settings", "recover", "works"),
    [
        ({"decay_hours": 24.0}, True, True),
        ({"decay_hours": 0.0}, True, False),
        ({"decay_hours": 24.0, "read_only": True}, True, False),
        ({"decay_hours": 24.0}, False, False),
    ],
)
async def test_the_setting_turns_the_servers_job_off(
    access: Access, embedder: Embedder, given_settings: dict[str, Any], recover: bool, works: bool
) -> None:
    chosen = load_settings(**given_settings)
    async with open_engine(chosen, access=access, embedder=embedder, recover=recover):
        names = {task.get_name() for task in asyncio.all_tasks()}
    assert ("SalienceDecay" in names) is works
