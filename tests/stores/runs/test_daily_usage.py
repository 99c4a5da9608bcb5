"""What a day has cost, and which run holds a limit shut."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from uuid import uuid4

import pytest
from langgraph.checkpoint.base import empty_checkpoint

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.access import Access
from reasonloom.stores.database import Database
from reasonloom.stores.runs.runs import DailyUse, daily_use
from reasonloom.stores.saver import SavedSteps, saving_for, thread_of
from tests.support.runs.usage import NOW, hours_ago, spend

SINCE = NOW - timedelta(days=1)


async def use_of(
    engine: Engine, owner: str, tokens: int | None = None, usd: float | None = None
) -> DailyUse:
    async with engine.loom.database.begin(Caller(owner)) as tx:
        return await daily_use(tx, SINCE, tokens=tokens, usd=usd)


async def test_nothing_used_is_nothing(engine: Engine) -> None:
    assert await use_of(engine, "anna", 1, 0.1) == (0, 0.0, None, None)


async def test_calls_of_the_owners_runs_of_the_day_are_summed(engine: Engine) -> None:
    await spend(engine, "anna", 20, (100, 1.0), (50, None))
    await spend(engine, "anna", 1, (30, 0.5))
    await spend(engine, "anna", 2)
    await spend(engine, "anna", 25, (5_000, 50.0))
    await spend(engine, "ben", 1, (7_000, 70.0))
    use = await use_of(engine, "anna")
    assert use.tokens == 180
    assert use.usd == pytest.approx(1.5)
    assert (use.tokens_by, use.usd_by) == (None, None), "without a limit nothing is shut"


@pytest.mark.parametrize(
    ("limit", "by"), [(181, None), (180, 20.0), (31, 20.0), (30, 1.0), (1, 1.0)]
)
async def test_the_run_that_holds_the_limit_is_the_last_without_which_it_is_kept(
    engine: Engine, limit: int, by: float | None
) -> None:
    await spend(engine, "anna", 20, (100, 1.0), (50, 0.5))
    await spend(engine, "anna", 1, (30, 0.3))
    expected = None if by is None else hours_ago(by)
    assert (await use_of(engine, "anna", tokens=limit)).tokens_by == expected
    assert (await use_of(engine, "anna", usd=limit / 100)).usd_by == expected


async def test_a_save_does_not_wait_for_another_runs_save(access: Access) -> None:
    steps = SavedSteps(Database(access))
    saver = await steps.open()
    async with saver._cursor():
        async with asyncio.timeout(10):
            await save(steps, "anna")
    await steps.close()


async def test_saves_at_the_same_time_are_each_their_owners(access: Access) -> None:
    """More at once than there are connections: each names its owner on the one that it gets."""
    steps = SavedSteps(Database(access))
    owners = [f"owner {number}" for number in range(20)]
    threads = dict(zip(owners, await asyncio.gather(*(save(steps, each) for each in owners)),
                       strict=True))  # fmt: skip
    saver = await steps.open()
    for owner, thread in threads.items():
        for reader in (owner, "nobody"):
            saving_for.set(reader)
            found = await saver.aget_tuple({"configurable": {"thread_id": thread}})
            assert (found is not None) is (reader == owner)
    await steps.close()


async def save(steps: SavedSteps, owner: str) -> str:
    """Save an empty step as `owner`; return its thread."""
    saving_for.set(owner)
    thread = thread_of(owner, uuid4())
    saver = await steps.open()
    await saver.aput(
        {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}, empty_checkpoint(), {}, {}
    )
    return thread
