"""Re-embedding and upkeep as jobs: they do what one process does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.embedding.wordllama import WordllamaEmbedder
from reasonloom.nodes.memory.maintenance import reindex
from reasonloom.settings import load_settings
from reasonloom.stores.access import Access
from reasonloom.stores.queue.jobs import JobIds, Queue, open_queue
from reasonloom.stores.queue.tables import prepare_queue
from reasonloom.workers import embedding, upkeep
from reasonloom.workers.context import Job, WorkContext, work_context
from reasonloom.workers.kinds import KINDS, QUEUES
from reasonloom.workers.worker import run_worker
from tests.support.calls import remember
from tests.support.memory.housekeeping import rows, silent

MODELS = "SELECT model, count(DISTINCT memory_id) FROM embeddings GROUP BY model ORDER BY model"
ANNA = Caller("anna")


@asynccontextmanager
async def local_worker(access: Access, queue: str) -> AsyncIterator[None]:
    working = asyncio.create_task(run_worker(load_settings(), [queue], access=access))
    try:
        yield
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


@asynccontextmanager
async def context(access: Access) -> AsyncIterator[WorkContext]:
    await prepare_queue(access)
    async with open_queue(access) as queue, work_context(load_settings(), access, queue) as found:
        yield found


def test_every_kind_has_a_function_and_a_queue() -> None:
    for name, kind in KINDS.items():
        assert kind.name == name
        assert kind.queue in QUEUES
        assert asyncio.iscoroutinefunction(kind.load())


async def test_workers_embed_what_one_process_would(
    access: Access, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "RANGE", 3)
    for number in range(8):
        await remember(engine, f"Key number {number} is in the blue drawer.", owner="anna")
    other = WordllamaEmbedder()
    engine.loom = replace(engine.loom, embedder=other)
    counted: list[int] = []
    async with local_worker(access, "embedding"):
        done = await embedding.embed_on_workers(engine.loom, [ANNA], "wordllama", counted.append)
    assert (done, sum(counted)) == (8, 8)
    found = await reindex.reindex_all(engine.loom, [ANNA], silent)
    assert (found["anna"].embedded, found["anna"].lacking) == (0, 0)
    assert [tuple(row) for row in await rows(engine, MODELS, ANNA)] == [(other.model, 8)]


async def test_the_plan_enqueues_what_is_due_once(access: Access, engine: Engine) -> None:
    await remember(engine, "The spare key is under the flower pot.", owner="anna")
    async with context(access) as found:
        found.clock = lambda: engine.loom.clock() + timedelta(days=3)
        for _ in range(2):
            await upkeep.plan(found, Job(1, JobIds()))
        kinds = sorted((job.kind, job.ids.owner) for job in await found.queue.listed())
    assert kinds == [
        ("cluster_owner", "anna"), ("decay_space", "anna"), ("drop_items", ""), ("drop_steps", ""),
        ("erase_forgotten", ""), ("maintain_indexes", ""),
    ]  # fmt: skip


async def test_a_worker_does_the_upkeep(access: Access, engine: Engine) -> None:
    await remember(engine, "The spare key is under the flower pot.", owner="anna")
    await prepare_queue(access)
    async with open_queue(access) as queue:
        await queue.enqueue("plan_upkeep", "upkeep", JobIds())
        async with local_worker(access, "upkeep"):
            await _until_empty(queue)
        assert await queue.listed() == []


async def _until_empty(queue: Queue) -> None:
    for _ in range(600):
        if not await queue.listed():
            return
        await asyncio.sleep(0.05)
