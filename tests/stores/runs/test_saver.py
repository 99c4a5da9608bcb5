"""Saved steps of many runs are written at the same time, each for its own owner."""

from __future__ import annotations

import asyncio
from uuid import uuid4

from langgraph.checkpoint.base import empty_checkpoint

from reasonloom.stores.access import Access
from reasonloom.stores.saver import SavedSteps, saving_for, thread_of


async def test_a_save_does_not_wait_for_another_runs_save(access: Access) -> None:
    steps = SavedSteps(access.app)
    saver = await steps.open()
    async with saver._cursor():
        async with asyncio.timeout(10):
            await save(steps, "anna")
    await steps.close()


async def test_saves_at_the_same_time_are_each_their_owners(access: Access) -> None:
    """More at once than there are connections: each names its owner on the one that it gets."""
    steps = SavedSteps(access.app)
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
