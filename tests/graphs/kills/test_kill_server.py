"""kill -9 of real servers and of their Postgres: a sample of what `tests.support.killing` does.

A client calls a server over MCP, the server dies at a named point, and another one that lives on is
asked with the same key. Postgres dies while several clients write.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from reasonloom.errors import DatabaseUnavailable
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.databases.postgres import TestPostgres
from tests.support.killing.command import BAD, Kill, kill_servers, planned
from tests.support.killing.guillotine import Moment
from tests.support.killing.points import COMMIT, POINTS, RECORDED, WRITE, Point
from tests.support.killing.postgres import kill_postgres
from tests.support.killing.proxies import REQUEST
from tests.support.killing.scenes.reasoning import LINEAR, REMEMBER
from tests.support.killing.scenes.scene import Lost, Scene
from tests.support.killing.server_arena import MODES, server_arena
from tests.support.killing.summary import PROPERTY
from tests.support.killing.victim import CALL, TOLD

SEED = 7


def chosen(scene: Scene, name: str, nth: int, moment: Moment) -> Point:
    """Return a point of the campaign."""
    (point,) = (
        each
        for each in POINTS
        if not each.opening
        and (str(each.scene), each.name, each.nth, each.moment) == (str(scene), name, nth, moment)
    )
    return point


SAMPLE = (
    chosen(REMEMBER, REQUEST, 1, "after"), chosen(REMEMBER, WRITE, -1, "after"),
    chosen(REMEMBER, COMMIT, -1, "after"), chosen(REMEMBER, TOLD, 1, "after"),
    chosen(LINEAR, CALL, 1, "after"), chosen(LINEAR, RECORDED, 1, "after"),
    chosen(LINEAR, COMMIT, -1, "before"), chosen(LINEAR, TOLD, 1, "before"),
)  # fmt: skip


def test_the_points_are_as_many_as_promised_and_each_has_a_name_of_its_own() -> None:
    assert len({str(each) for each in POINTS}) == len(POINTS) >= 25
    kills = planned(POINTS, 40, 100, SEED)
    assert len(kills) == 40 * len(POINTS) >= 1000
    assert sum(each.fresh for each in kills) == 100
    assert kills == planned(POINTS, 40, 100, SEED) != planned(POINTS, 40, 100, SEED + 1)
    assert {each.mode for each in kills} == set(MODES)


@pytest.mark.timeout(600)
async def test_a_killed_server_loses_halves_and_doubles_nothing(
    postgres: TestPostgres, record_property: Callable[[str, object], None]
) -> None:
    kills = [Kill(point, at, at == 0, MODES[at % 2]) for at, point in enumerate(SAMPLE)]
    tally = await kill_servers(postgres, kills)
    record_property(PROPERTY, {"servers": {name: at["kills"] for name, at in tally.points.items()}})
    assert tally.faults == []
    assert not any(tally.whole[each] for each in BAD)
    assert [at["kills"] for at in tally.points.values()] == [1] * len(SAMPLE)
    assert tally.whole["cold"] == 1


async def test_a_server_that_acknowledges_before_it_commits_is_found_out(
    postgres: TestPostgres, tmp_path: Path
) -> None:
    point = chosen(REMEMBER, TOLD, 1, "after")
    with postgres.clone() as name:
        async with server_arena(postgres, postgres.access(name), name, tmp_path) as ground:
            rehearsed = await ground.rehearse(REMEMBER)
            staged = await ground.stage(REMEMBER, "hasty", hasty=True)
            assert await ground.strike(staged, point.choice(rehearsed.points), "after")
            with pytest.raises(Lost, match="acknowledged, and lost"):
                await ground.check(staged, rehearsed)


@pytest.mark.timeout(600)
async def test_a_killed_postgres_comes_back_and_loses_halves_and_doubles_nothing(
    record_property: Callable[[str, object], None],
) -> None:
    with tempfile.TemporaryDirectory(prefix="rl") as folder:
        Path(folder).chmod(0o755)  # as root Postgres is another user
        found = await kill_postgres(Path(folder), 2, SEED)
    record_property(PROPERTY, {"Postgres": dict(found.kills)})
    assert found.kills == {"postmaster": 1, "backend": 1}
    assert not found.wrong, found.faults


WAITING = """SELECT pid FROM pg_stat_activity WHERE datname = current_database()
    AND wait_event_type = 'Lock' AND query ~* 'checkpoint'"""
ASKED = {"content": "What must we tell the restaurant?"}


async def end_who_waits(access: Access) -> None:
    """End the backend that waits to save a step, as a kill of another backend ends it."""
    connection = await psycopg.AsyncConnection.connect(access.admin, autocommit=True)
    async with connection, asyncio.timeout(60):
        while not (found := await (await connection.execute(WAITING)).fetchall()):
            await asyncio.sleep(0.02)
        await connection.execute("SELECT pg_terminate_backend(%s)", found[0])


async def test_a_step_that_meets_a_dying_backend_is_retryable_and_its_run_is_finished(
    engine: Engine, access: Access
) -> None:
    async with await psycopg.AsyncConnection.connect(access.admin) as holder:
        await holder.execute("LOCK TABLE checkpoints, checkpoint_writes IN ACCESS EXCLUSIVE MODE")
        asking = asyncio.create_task(call(engine, "reasoning_tree", ASKED, key="the key"))
        await end_who_waits(access)
        await holder.rollback()
        with pytest.raises(DatabaseUnavailable):
            await asking
    outcome = await call(engine, "reasoning_tree", ASKED, key="the key")
    assert outcome.answer["branches"]
