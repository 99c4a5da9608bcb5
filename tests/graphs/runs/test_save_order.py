"""What must be kept before a run goes on: the step before, and the reply that was paid.

A table is locked, so that nothing can be kept in it; a run that goes on all the same would lose
what a kill at that moment takes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
import pytest

from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Ask, Embedder, Reply
from reasonloom.stores.access import Access
from tests.graphs.runs.test_engine import THOUGHT, ScriptedLlm, engine_with, thought
from tests.support.calls import call

WAITS = "SELECT count(*) FROM pg_locks WHERE relation = %s::regclass AND NOT granted"
PATIENCE = 10.0
LONG_ENOUGH = 1.0
"""Seconds in which a run that does not wait has gone on: what comes next takes milliseconds."""


class NotifyingLlm(ScriptedLlm):
    """Tells when it is asked."""

    def __init__(self) -> None:
        super().__init__(thought("so"))
        self.heard = asyncio.Event()

    async def answer(self, ask: Ask) -> Reply:
        self.heard.set()
        return await super().answer(ask)


@dataclass
class Scene:
    engine: Engine
    llm: NotifyingLlm
    access: Access


@pytest.fixture
async def scene(access: Access, embedder: Embedder) -> AsyncIterator[Scene]:
    llm = NotifyingLlm()
    async with engine_with(access, embedder, llm) as engine:
        await call(engine, "reasoning_linear", THOUGHT)  # everything is open and loaded
        llm.heard.clear()
        yield Scene(engine, llm, access)


@contextmanager
def locked(access: Access, table: str) -> Iterator[None]:
    """Let nobody write into a table."""
    with psycopg.connect(access.admin) as connection:
        connection.execute(f"LOCK TABLE {table} IN SHARE MODE".encode())
        yield


async def waited_for(access: Access, table: str) -> None:
    """Wait until somebody wants to write into a locked table."""
    async with asyncio.timeout(PATIENCE):
        while not await asyncio.to_thread(waiting, access, table):
            await asyncio.sleep(0.02)


def waiting(access: Access, table: str) -> int:
    with psycopg.connect(access.admin) as connection:
        ((count,),) = connection.execute(WAITS.encode(), (table,)).fetchall()
    return int(count)


async def test_no_step_begins_before_the_one_before_it_is_saved(scene: Scene) -> None:
    with locked(scene.access, "checkpoints"):
        job = asyncio.create_task(call(scene.engine, "reasoning_linear", THOUGHT))
        await waited_for(scene.access, "checkpoints")
        with pytest.raises(TimeoutError):  # recalled, and not saved: nobody is asked yet
            await asyncio.wait_for(scene.llm.heard.wait(), LONG_ENOUGH)
    assert (await job).answer["content"] == "so"


async def test_no_reply_is_used_before_it_is_recorded(scene: Scene) -> None:
    with locked(scene.access, "llm_calls"):
        job = asyncio.create_task(call(scene.engine, "reasoning_linear", THOUGHT))
        await waited_for(scene.access, "llm_calls")
        done, _ = await asyncio.wait([job], timeout=LONG_ENOUGH)
        assert not done, "a reply was used that is recorded nowhere"
    assert (await job).answer["content"] == "so"
