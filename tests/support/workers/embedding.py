"""Measures the re-embedding of one owner's memories by one process and by workers.

    python -m tests.support.workers.embedding --memories 10000

The memories have no vectors, and get those of the encoder. Then come jobs with nothing to
do, for what a job costs, and a run in which one worker is killed. Prints lines of JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from typing import Any

import psutil
import psycopg

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.evals.engine import temporary_home
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.memory.maintenance.reindex import reindex_range
from reasonloom.settings import Settings
from reasonloom.stores.access import Access, find_access
from reasonloom.stores.embedded.server import EmbeddedServer
from reasonloom.stores.migrate import bring_up_to_date
from reasonloom.stores.queue.tables import prepare_queue
from reasonloom.workers.embedding import embed_on_workers
from reasonloom.workers.follower import following
from reasonloom.workers.kinds import KINDS
from tests.support.workers.curve import seconds, started
from tests.support.workers.process import wait_for_workers

ANNA = Caller("anna")
FILL = """INSERT INTO memories (owner, space, id, content, sector, event_type, salience,
    importance, token_count, source_kind, principal, tool, effect, decay_rate)
SELECT 'anna', '', n, format('On day %%s Anna put key number %%s into the %%s drawer.', n %% 365, n,
    (ARRAY['blue', 'red', 'green', 'upper', 'lower'])[n %% 5 + 1]), 'episodic', 'fact', 0.5,
    0.5, 12, 'user', 'anna', 'remember', gen_random_uuid(), 0.02
FROM generate_series(1, %s) AS n"""
FORGET = "DELETE FROM embeddings WHERE owner = 'anna'"
EMPTY_JOBS = 300


@asynccontextmanager
async def filled(memories: int) -> AsyncIterator[tuple[Settings, Access, Engine]]:
    """Yield a database of its own with so many memories without vectors, and an engine on it."""
    with temporary_home(idle_stop="0", embedder="encoder") as settings, ExitStack() as stack:
        access = await find_access(settings)
        stack.callback(EmbeddedServer(settings.database_folder).stop)
        await bring_up_to_date(access)
        await prepare_queue(access)
        with psycopg.connect(access.admin) as connection:
            connection.execute("INSERT INTO owners (owner) VALUES ('anna') ON CONFLICT DO NOTHING")
            connection.execute(FILL, (memories,))
        async with open_engine(settings, access=access, recover=False) as engine:
            yield settings, access, engine


def _note(done: asyncio.Event, count: int) -> None:
    done.set()


def forget(access: Access) -> None:
    """Remove all vectors."""
    with psycopg.connect(access.admin) as connection:
        connection.execute(FORGET)


async def measure(memories: int) -> AsyncIterator[dict[str, Any]]:
    """Yield the figures of one process, of two workers, of empty jobs, and of a killed worker."""
    async with filled(memories) as (settings, access, engine):
        loom = engine.loom
        began, own = time.perf_counter(), time.process_time()
        await reindex_range(loom, ANNA, 1, memories)
        took = time.perf_counter() - began
        yield figures("one process", memories, took, time.process_time() - own)
        with ExitStack() as stack:
            processes = [started(settings, stack, 1, "embedding") for _ in range(2)]
            await asyncio.to_thread(wait_for_workers, access, 2)
            for name in ("two workers", "two workers, warm", "one of them killed"):
                forget(access)
                before, began = seconds(processes), time.perf_counter()
                embedding = asyncio.Event()
                running = asyncio.create_task(
                    embed_on_workers(loom, [ANNA], "encoder", partial(_note, embedding))
                )
                if "killed" in name:
                    await embedding.wait()
                    before -= seconds([processes[-1]])
                    processes.pop().kill()
                await running
                yield figures(
                    name, memories, time.perf_counter() - began, seconds(processes) - before
                )
            yield await empty_jobs(settings, access, loom.embedder.model)


async def empty_jobs(settings: Settings, access: Access, model: str) -> dict[str, Any]:
    """Return what jobs cost that find nothing to do."""
    postgres = psutil.Process(EmbeddedServer(settings.database_folder).status().pid or 0)
    before, began, own = seconds([postgres]), time.perf_counter(), time.process_time()
    async with following(KINDS["embed_range"], ANNA, settings, access) as follower:
        task = {"embedder": "encoder", "model": model, "first": 10**9, "last": 10**9}
        for start in range(0, EMPTY_JOBS, 50):
            keys = range(start, start + 50)
            await asyncio.gather(*(follower.answer(f"empty/{n}", task) for n in keys))
    took = (time.perf_counter() - began) * 1000 / EMPTY_JOBS
    used = (time.process_time() - own) * 1000 / EMPTY_JOBS
    used_there = (seconds([postgres]) - before) * 1000 / EMPTY_JOBS
    return {
        "run": "empty jobs", "jobs": EMPTY_JOBS, "ms_per_job": round(took, 1),
        "processor_ms_here": round(used, 1), "processor_ms_postgres": round(used_there, 1),
    }  # fmt: skip


def figures(name: str, memories: int, took: float, used: float) -> dict[str, Any]:
    """Return the figures of a run."""
    return {
        "run": name, "memories": memories, "seconds": round(took, 1),
        "memories_per_second": round(memories / took), "processor_seconds": round(used, 1),
        "load": round(os.getloadavg()[0], 1),
    }  # fmt: skip


async def report(memories: int) -> None:
    """Print the figures as they come."""
    async for found in measure(memories):
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--memories", type=int, default=10_000)
    asyncio.run(report(parser.parse_args().memories))


if __name__ == "__main__":
    main()
