"""A tree whose run was broken off goes on where it stood, with or without its saved steps."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import psycopg
import pytest

from reasonloom.llm.interfaces import Embedder
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.llms.exploration import ExploringLlm
from tests.support.reasoning.sessions import thinking, whole

REQUEST = {"content": "What is it?"}
STEPS = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")


def recorded(access: Access) -> int:
    with psycopg.connect(access.admin) as connection:
        return int(connection.execute("SELECT count(*) FROM llm_calls").fetchall()[0][0])


def forget_steps(access: Access) -> None:
    with psycopg.connect(access.admin) as connection:
        deleted = [connection.execute(f"DELETE FROM {each}".encode()).rowcount for each in STEPS]
    assert deleted[0]


@pytest.mark.parametrize("steps", ["saved", "lost"])
async def test_no_recorded_reply_is_asked_for_again(
    access: Access, embedder: Embedder, steps: str
) -> None:
    llm = ExploringLlm(slow={"pepper": 60.0})
    async with thinking(access, embedder, llm) as mind:
        broken_off = asyncio.create_task(call(mind, "reasoning_tree", REQUEST, key="k"))
        while recorded(access) < 4:
            await asyncio.sleep(0.02)
        broken_off.cancel()
        with suppress(asyncio.CancelledError):
            await broken_off
        assert {kind: len(asked) for kind, asked in llm.asked.items()} == {
            "propose": 1, "explore": 4,
        }  # fmt: skip
        if steps == "lost":
            forget_steps(access)
        llm.slow = {}
        answer = (await call(mind, "reasoning_tree", REQUEST, key="k")).answer
        stored = await whole(mind, answer["session_id"])
    assert {kind: len(asked) for kind, asked in llm.asked.items()} == {
        "propose": 1, "explore": 4 + 1, "judge": 3,
    }  # fmt: skip
    assert (answer["branches_explored"], recorded(access)) == (4, 8)
    assert (len(stored.branches), len(stored.thoughts)) == (5, 5)
