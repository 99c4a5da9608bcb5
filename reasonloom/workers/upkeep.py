"""Upkeep as jobs: the work that server processes do in the background, for whole installations.

What is due is recorded in the database, so that servers and workers never do the same twice.
"""

from datetime import timedelta

from reasonloom.errors import Conflict
from reasonloom.graphs.background_jobs import HistoryErasure, ItemExpiry, StepExpiry
from reasonloom.nodes.memory.maintenance.decay_job import weaken_space
from reasonloom.nodes.mental_models.basins.upkeep import maintain_basins
from reasonloom.stores import vector_indexes
from reasonloom.stores.memory import decay
from reasonloom.stores.mental_models.basins import claim_owner
from reasonloom.stores.queue.jobs import JobIds
from reasonloom.workers.context import Job, WorkContext
from reasonloom.workers.kinds import UPKEEP

SWEEPS = ("erase_forgotten", "drop_steps", "drop_items", "maintain_indexes")
"""Jobs that look through all owners."""


async def plan(context: WorkContext, job: Job) -> None:
    """Enqueue the sweeps, and the owners and spaces that are due."""
    for kind in SWEEPS:
        await context.queue.enqueue(kind, UPKEEP, JobIds())
    settings, at = context.settings, context.clock()
    if settings.cluster_hours:
        due = at - timedelta(hours=settings.cluster_hours)
        while (owner := await claim_owner(context.database, at=at, due=due)) is not None:
            await context.queue.enqueue("cluster_owner", UPKEEP, JobIds(owner))
    if settings.decay_hours:
        due = at - timedelta(hours=settings.decay_hours)
        while places := await decay.claim(context.database, at=at, due=due):
            for place in places:
                ids = JobIds(place.owner, place.space)
                await context.queue.enqueue("decay_space", UPKEEP, ids)


async def cluster_owner(context: WorkContext, job: Job) -> None:
    """Keep the clusters of an owner's default space up to date."""
    async with context.loom() as loom:
        try:
            await maintain_basins(loom, job.ids.caller, loom.clock())
        except Conflict:
            return  # another process has just done it


async def decay_space(context: WorkContext, job: Job) -> None:
    """Decay the memories of a space."""
    await weaken_space(context.database, job.ids.caller, context.clock())


async def erase_forgotten(context: WorkContext, job: Job) -> None:
    """Erase the forgotten conversations whose undo period has ended."""
    async with context.loom() as loom:
        await HistoryErasure(loom).look()


async def drop_steps(context: WorkContext, job: Job) -> None:
    """Delete the saved steps of old runs."""
    async with context.loom() as loom:
        await StepExpiry(loom).look()


async def drop_items(context: WorkContext, job: Job) -> None:
    """Delete expired items."""
    async with context.loom() as loom:
        await ItemExpiry(loom).look()


async def maintain_indexes(context: WorkContext, job: Job) -> None:
    """Build and drop vector indexes."""
    async for _ in context.database.on_each(lambda part: vector_indexes.maintain(part.access)):
        pass
