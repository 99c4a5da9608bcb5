"""Embeds memories anew in ranges of ids: the jobs, and what spreads them over workers."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any

from reasonloom.contracts.caller import Caller
from reasonloom.nodes.execution import Loom
from reasonloom.nodes.memory.maintenance.reindex import (
    Progress,
    newest_lacking,
    reindex_range,
)
from reasonloom.workers.context import Job, OtherVersion, WorkContext
from reasonloom.workers.follower import Follower, Warn, following, log
from reasonloom.workers.kinds import KINDS

KIND = KINDS["embed_range"]
RANGE = 1_000
"""Ids in one job: seconds of work, so that little is repeated where a worker dies."""

AT_ONCE = 64
"""Jobs that wait for workers at once."""


async def embed_range(context: WorkContext, job: Job, task: Mapping[str, Any]) -> int:
    """Embed a range of a space's memories; return how many.

    Raises:
        OtherVersion: this worker's embedder computes other vectors.
    """
    async with context.loom(task["embedder"]) as loom:
        if loom.embedder.model != task["model"]:
            raise OtherVersion(f"its embedder is {loom.embedder.model}, not {task['model']}")
        return await reindex_range(loom, job.ids.caller, task["first"], task["last"])


async def embed_on_workers(
    loom: Loom,
    callers: Iterable[Caller],
    embedder: str,
    progress: Progress,
    warn: Warn = log.warning,
) -> int:
    """Let workers embed the memories of these spaces that lack vectors; return how many.

    Raises:
        ServiceFault: a job failed in all its attempts; the others' vectors are stored.
    """
    done = 0
    for caller in callers:
        newest = await newest_lacking(loom, caller)
        task = {"embedder": embedder, "model": loom.embedder.model}
        ranges = [
            {**task, "first": max(1, last - RANGE + 1), "last": last}
            for last in range(newest, 0, -RANGE)
        ]
        if not ranges:
            continue
        access = None if loom.settings.databases else loom.database.access
        async with following(KIND, caller, loom.settings, access, warn) as follower:
            async for count in _answers(follower, ranges):
                progress(count)
                done += count
    return done


async def _answers(follower: Follower, ranges: Sequence[Mapping[str, Any]]) -> AsyncIterator[int]:
    """Yield the answers of jobs as they come, with a bound on how many wait."""
    door = asyncio.Semaphore(AT_ONCE)

    async def answer(task: Mapping[str, Any]) -> int:
        async with door:
            key = f"{follower.caller.space}/{task['first']}-{task['last']}"
            return int(await follower.answer(key, task))

    running = [asyncio.create_task(answer(each)) for each in ranges]
    try:
        for coming in asyncio.as_completed(running):
            yield await coming
    finally:
        for each in running:
            each.cancel()
        await asyncio.gather(*running, return_exceptions=True)
