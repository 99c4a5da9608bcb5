"""Maintains basins: new memories join the nearest; after many changes all are rebuilt."""

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from reasonloom.contracts.caller import Caller
from reasonloom.nodes.execution import Loom
from reasonloom.nodes.mental_models.basins.formation import (
    FormedBasins,
    form_basins,
    persist_basins,
)
from reasonloom.nodes.mental_models.basins.membership import Joiner, vector_batches
from reasonloom.stores.mental_models import basin_memories, basins
from reasonloom.stores.mental_models.basins import BasinRun

CHANGED = 0.3
"""Share of new and deleted memories above which all basins are rebuilt."""

LEAST = 5
"""Minimum memories or changes for basins to be formed."""

MOST_JOINED = 20_000
"""Maximum new memories assigned per call."""


@dataclass(frozen=True, slots=True)
class UpkeepResult:
    """The number of memories examined and joined, or the basins that were formed."""

    looked_at: int = 0
    joined: int = 0
    formed: FormedBasins | None = None


async def maintain_basins(loom: Loom, caller: Caller, at: datetime) -> UpkeepResult:
    """Perform the maintenance that is due in the caller's space.

    Raises:
        SettingMistake: basins must be formed, and scikit-learn is not installed.
        Conflict: another process formed basins concurrently.
        DatabaseUnavailable: the connection was lost; memories that already joined stay assigned.
    """
    async with loom.database.begin(caller, searching=True) as tx:
        run = await basins.last_run(tx)
        until, since = await basin_memories.counted(tx, run.formed_through if run else 0)
    if _is_due(run, until, since, loom.embedder.model):
        formed = await form_basins(loom, caller, at)
        async with loom.database.begin(caller) as tx:
            await persist_basins(tx, formed)
        return UpkeepResult(formed=formed)
    return await _join(loom, caller, run) if run and since else UpkeepResult()


def _is_due(run: BasinRun | None, until: int, since: int, model: str) -> bool:
    if run is None:
        return since >= LEAST
    changed = since + max(0, run.memories - until)
    if run.model != model:
        return until + since >= LEAST
    return changed >= LEAST and changed > CHANGED * run.memories


async def _join(loom: Loom, caller: Caller, run: BasinRun) -> UpkeepResult:
    """Assign new memories to the nearest basins, one transaction per batch."""
    model = loom.embedder.model
    async with loom.database.begin(caller, searching=True) as tx:
        ids = await basin_memories.embedded_ids(tx, model, after=run.joined_through)
        known = [each for each in await basins.basins(tx) if each.model == model]
    looked_at = joined = 0
    joiner = Joiner.of(known) if known else None
    async for some, vectors in vector_batches(loom, caller, ids[:MOST_JOINED]):
        rows: list[tuple[UUID, int, float]] = []
        if joiner:
            places, strengths = joiner.place(vectors)
            placed = zip(some, places, strengths, strict=True)
            rows = [(known[at].id, one, float(how)) for one, at, how in placed if at >= 0]
        async with loom.database.begin(caller) as tx:
            if await basins.hold(tx) != run:
                return UpkeepResult(looked_at, joined)
            await basins.join(tx, rows)
            run = replace(run, joined_through=some[-1])
            await basins.note(tx, run)
        looked_at, joined = looked_at + len(some), joined + len(rows)
    return UpkeepResult(looked_at, joined)
