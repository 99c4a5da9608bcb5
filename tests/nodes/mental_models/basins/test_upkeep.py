"""Basins as memories come and go: joining, forming anew, one process at a time."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from sqlalchemy import text

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.background_jobs import BasinUpkeep
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.mental_models.basins.upkeep import maintain_basins
from reasonloom.stores.mental_models import basins
from reasonloom.stores.mental_models.basins import claim_owner
from tests.support.memory.clusters import cluster, near, store

OWNER = Caller("local")


async def held(engine: Engine) -> dict[UUID, dict[int, float]]:
    async with engine.loom.database.begin(OWNER) as tx:
        return await basins.members(tx)


async def fill(engine: Engine, count: int = 20) -> None:
    for direction in range(4):
        await store(
            engine,
            [f"topic {direction} note {n}" for n in range(count)],
            vectors=near(direction * 13, count),
        )


async def newer(engine: Engine, direction: int, count: int, *, first: int = 50) -> list[int]:
    return await store(
        engine,
        [f"topic {direction} note {n}" for n in range(first, first + count)],
        vectors=near(direction * 13, count, first=first),
    )


async def test_a_few_new_ones_join_the_nearest_and_strangers_join_none(engine: Engine) -> None:
    await fill(engine)
    await cluster(engine)
    before = await held(engine)
    centre = [0.0] * 64
    centre[13] = 1.0
    (mine,) = await store(engine, ["in the midst of topic 1"], vectors=[centre])
    (stranger,) = await store(engine, ["of nothing"], vectors=near(60, 1, first=3))
    kept = await maintain_basins(engine.loom, OWNER, engine.loom.clock())
    after = await held(engine)
    assert (kept.looked_at, kept.joined, kept.formed) == (2, 1, None)
    (home,) = (basin for basin, inside in after.items() if mine in inside)
    assert {(one - 1) // 20 for one in before[home]} == {1}
    assert not any(stranger in inside for inside in after.values())
    again = await maintain_basins(engine.loom, OWNER, engine.loom.clock())
    assert (again.looked_at, again.joined) == (0, 0)


async def test_much_that_is_new_forms_all_anew(engine: Engine) -> None:
    await fill(engine)
    await cluster(engine)
    await newer(engine, 0, 24)
    assert (await maintain_basins(engine.loom, OWNER, engine.loom.clock())).formed is None
    await newer(engine, 1, 1)
    kept = await maintain_basins(engine.loom, OWNER, engine.loom.clock())
    assert kept.formed is not None and kept.formed.memories == 105


async def test_much_that_is_gone_forms_all_anew(engine: Engine) -> None:
    await fill(engine)
    await cluster(engine)
    async with engine.loom.database.begin(OWNER) as tx:
        await tx.run(text("UPDATE memories SET deleted_at = now() WHERE id <= 25"))
    kept = await maintain_basins(engine.loom, OWNER, engine.loom.clock())
    assert kept.formed is not None and kept.formed.memories == 55


async def test_the_first_five_form_and_fewer_wait(engine: Engine) -> None:
    await newer(engine, 0, 4)
    assert (await maintain_basins(engine.loom, OWNER, engine.loom.clock())).formed is None
    await newer(engine, 0, 1, first=60)
    assert (await maintain_basins(engine.loom, OWNER, engine.loom.clock())).formed is not None


async def test_an_owner_is_looked_at_by_one_and_only_when_due(engine: Engine) -> None:
    await newer(engine, 0, 1)
    at = engine.loom.clock()
    due = at - timedelta(hours=1)
    assert await claim_owner(engine.loom.database, at=at, due=due) == "local"
    assert await claim_owner(engine.loom.database, at=at, due=due) is None
    later = at + timedelta(hours=2)
    assert (
        await claim_owner(engine.loom.database, at=later, due=later - timedelta(hours=1)) == "local"
    )


async def test_the_job_of_a_server_looks_at_every_owner(engine: Engine) -> None:
    for owner in ("local", "other"):
        await store(engine, [f"note {n}" for n in range(8)], vectors=near(3, 8), owner=owner)
    await BasinUpkeep(engine.loom).look()
    for owner in ("local", "other"):
        async with engine.loom.database.begin(Caller(owner)) as tx:
            assert await basins.last_run(tx) is not None
            assert len(await basins.basins(tx)) == 1
