"""Clocks that jump by an hour: no run is lost, carried twice, or waits for the hour to pass."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from reasonloom.compose import open_engine
from reasonloom.graphs.runs.leases import LeaseWatch
from reasonloom.llm.interfaces import Embedder
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from reasonloom.stores.migrations.rls import APP_ROLE
from reasonloom.stores.runs.active_runs import Lease
from tests.graphs.runs.test_engine import THOUGHT, ScriptedLlm
from tests.graphs.runs.test_races import statuses
from tests.graphs.runs.test_recovery import until
from tests.support.calls import call, recalled, remember
from tests.support.clock import Clock
from tests.support.databases.postgres import TestPostgres, own_database
from tests.support.killing import victim
from tests.support.killing.arena import arena
from tests.support.killing.scenes.reasoning import LINEAR

__all__ = ["own_database"]
HOUR = 3_600.0
WORK = 2.4
"""Seconds of a language model's answer; the lease of its run is renewed every three."""

CLOCK = f"""
CREATE SCHEMA skewed; CREATE TABLE skewed.jump (seconds float8); INSERT INTO skewed.jump VALUES (0);
CREATE FUNCTION skewed.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
    'SELECT pg_catalog.clock_timestamp() + make_interval(secs => seconds) FROM skewed.jump';
CREATE FUNCTION skewed.now() RETURNS timestamptz LANGUAGE sql VOLATILE AS
    'SELECT pg_catalog.now() + make_interval(secs => seconds) FROM skewed.jump';
GRANT USAGE ON SCHEMA skewed TO {APP_ROLE}; GRANT SELECT ON skewed.jump TO {APP_ROLE};
"""


@dataclass
class SkewedClock:
    """The ways into a database whose clock a test can set."""

    access: Access

    def jump(self, seconds: float) -> None:
        with psycopg.connect(self.access.admin, autocommit=True) as connection:
            connection.execute("UPDATE skewed.jump SET seconds = %s", (seconds,))


@pytest.fixture
def skewed(access: Access) -> SkewedClock:
    with psycopg.connect(access.admin, autocommit=True) as connection:
        connection.execute(CLOCK.encode())
    options = str(conninfo_to_dict(access.app)["options"])
    moved = options.replace("search_path=", "search_path=skewed,pg_catalog,")
    return SkewedClock(replace(access, app=make_conninfo(access.app, options=moved)))


@pytest.mark.parametrize("seconds", [HOUR, -HOUR])
async def test_a_run_that_is_carried_is_left_to_its_process(
    skewed: SkewedClock, embedder: Embedder, seconds: float
) -> None:
    llm = ScriptedLlm(WORK)
    rarely, often = Settings(lease_seconds=9.0), Settings(lease_seconds=0.5)
    async with (
        open_engine(rarely, access=skewed.access, llm=llm, embedder=embedder) as one,
        open_engine(often, access=skewed.access, llm=llm, embedder=embedder) as other,
    ):
        job = asyncio.create_task(call(one, "reasoning_linear", THOUGHT))
        while not llm.asked:
            await asyncio.sleep(0.01)
        await asyncio.sleep(WORK / 2)  # the other process has looked
        await asyncio.to_thread(skewed.jump, seconds)
        assert (await job).answer["content"] == "after a while"
        assert len(llm.asked) == 1, "another process took the run up and paid again"
        assert not other.active
    assert statuses(skewed.access) == {"done": 1}


@pytest.mark.parametrize("seconds", [HOUR, -HOUR])
async def test_what_a_killed_process_left_is_taken_up_soon(
    postgres: TestPostgres,
    skewed: SkewedClock,
    access: Access,
    database: str,
    tmp_path: Path,
    seconds: float,
) -> None:
    async with arena(postgres, access, database, tmp_path) as ground:
        staged = await ground.stage(LINEAR, "anna", lease=5.0)
        settings = Settings(lease_seconds=0.5, resume_within=2 * HOUR)
        llm = victim.PaidLlm(staged.order.book)
        opened = open_engine(settings, access=skewed.access, llm=llm, embedder=victim.EMBEDDER)
        async with opened:
            assert await ground.strike(staged, lambda _, name: name == victim.CALL, "after")
            await asyncio.sleep(0.5)
            await asyncio.to_thread(skewed.jump, seconds)
            await until(access, "anna", "done")


AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
RUN = uuid4()


def look(watch: LeaseWatch, now: float, *written: float, run: UUID = RUN) -> bool:
    """Tell whether a lease is seen as expired at a reading of the database's clock."""
    moment = AT + timedelta(seconds=now)
    leases = [Lease("anna", run, AT + timedelta(seconds=each), moment) for each in written]
    return bool(watch.expired(leases))


@pytest.mark.parametrize(
    ("looks", "expired"),
    [
        ([(0, 0, 15), (14, 14, 15), (16, 16, 15)], [False, False, True]),
        ([(0, 0, 15), (5, 5, 20), (16, 16, 20), (21, 21, 20)], [False, False, False, True]),
        ([(0, 0, 15), (5, 3605, 15), (14, 3614, 15), (16, 3616, 15)], [False, False, False, True]),
        ([(0, 0, 15), (5, -3595, 15), (14, -3586, 15), (16, -3584, 15)], [False] * 3 + [True]),
        ([(0, 3605, 15)], [True]),
    ],
    ids=["as usual", "renewed", "set forward", "set back", "long dead when first seen"],
)
def test_a_lease_expires_by_the_time_that_has_passed(
    looks: list[tuple[float, float, float]], expired: list[bool]
) -> None:
    here = [0.0]
    watch = LeaseWatch(15.0, lambda: here[0])
    found = []
    for passed, now, until_ in looks:
        here[0] = passed
        found.append(look(watch, now, until_))
    assert found == expired


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
def test_a_lease_that_was_not_seen_before_the_jump_lasts_as_long_as_one(jump: float) -> None:
    here = [0.0]
    watch = LeaseWatch(15.0, lambda: here[0])
    assert not look(watch, 0, 100, run=uuid4())
    found = []
    for passed in (5.0, 12.0, 21.0):  # written at 3, set at 4
        here[0] = passed
        found.append(look(watch, passed + jump, 18))
    assert found == [False, False, True]


async def test_memories_neither_fade_nor_vanish_by_a_jump(
    settings: Settings, access: Access, embedder: Embedder
) -> None:
    strengths = []
    async with open_engine(settings, access=access, embedder=embedder, recover=False) as engine:
        at, clock = datetime.now(UTC), Clock()
        clock.at = at
        engine.loom = replace(engine.loom, clock=clock)
        await remember(engine, "The lantern is amber.")
        for hours in (0, -1, 0, 1, 0):
            clock.at = at + timedelta(hours=hours)
            assert await recalled(engine, "lantern") == ["The lantern is amber."]
            found = await call(engine, "recall", {"userId": "local", "text": "lantern"})
            strengths.append(found.answer["memories"][0]["strength"])
    assert strengths == pytest.approx([strengths[0]] * 5, abs=0.01)
