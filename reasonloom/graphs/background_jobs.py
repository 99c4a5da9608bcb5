"""Recurring background jobs that every serving process runs."""

import asyncio
import logging
import random
from abc import ABC, abstractmethod
from datetime import timedelta
from typing import ClassVar

from reasonloom.contracts.caller import DEFAULT_SPACE, Caller
from reasonloom.errors import Conflict, DatabaseUnavailable, SettingMistake
from reasonloom.nodes.execution import Loom
from reasonloom.nodes.history.erasure import erase_all_due
from reasonloom.nodes.memory import items
from reasonloom.nodes.memory.maintenance.decay_job import weaken_all
from reasonloom.nodes.mental_models.basins.upkeep import maintain_basins
from reasonloom.stores.memory import decay
from reasonloom.stores.mental_models.basins import claim_owner
from reasonloom.stores.runs import redaction

log = logging.getLogger(__name__)
HOUR = 3600.0


class BackgroundJob(ABC):
    """A recurring job that every serving process runs.

    The database records what is due, so the number of processes, their polling intervals and their
    lifetimes do not matter.

    Attributes:
        trouble: the log message on failure.
        first_pause: seconds before the first check, give or take half, to let the first calls pass.
    """

    trouble: ClassVar[str]
    first_pause = 30.0

    def __init__(self, loom: Loom, *, first_pause: float | None = None) -> None:
        self.loom = loom
        self._pause = self.first_pause if first_pause is None else first_pause

    @abstractmethod
    async def look(self) -> None:
        """Run the work that is due."""

    def pause(self) -> float:
        """Return the seconds between two checks; most checks find nothing due."""
        return HOUR

    async def run(self) -> None:
        """Run due work at intervals until cancelled."""
        while True:
            spread = random.uniform(0.5, 1.5)  # noqa: S311 - keeps processes from looking at once
            await asyncio.sleep(self._pause * spread)
            self._pause = self.pause()
            try:
                await self.look()
            except DatabaseUnavailable:
                log.debug("%s: the database is unavailable", self.trouble)
            except SettingMistake as missing:
                log.info("%s", missing.message)
            except Exception:
                log.exception("%s", self.trouble)


class BasinUpkeep(BackgroundJob):
    """Keeps clusters up to date without a language model; due times are per owner."""

    trouble = "clusters could not be updated"
    first_pause = 90.0

    def pause(self) -> float:
        """Return a quarter of the interval after which an owner is due, at most one hour."""
        return min(self.loom.settings.cluster_hours * HOUR / 4, HOUR)

    async def look(self) -> None:
        """Update the clusters of every owner who is due."""
        loom, at = self.loom, self.loom.clock()
        due = at - timedelta(hours=loom.settings.cluster_hours)
        while (owner := await claim_owner(loom.database, at=at, due=due)) is not None:
            try:
                kept = await maintain_basins(loom, Caller(owner), at)
            except Conflict:
                continue
            if kept.formed:
                log.info("%d clusters were formed", len(kept.formed.basins))
            elif kept.joined:
                log.info("%d memories joined clusters", kept.joined)


class SalienceDecay(BackgroundJob):
    """Decays unread memories about once a day; due times are per space."""

    trouble = "memories could not be weakened"

    def pause(self) -> float:
        """Return a quarter of the interval after which a space is due, at most one hour."""
        return min(self.loom.settings.decay_hours * HOUR / 4, HOUR)

    async def look(self) -> None:
        """Decay the memories of every space that is due."""
        at, interval = self.loom.clock(), timedelta(hours=self.loom.settings.decay_hours)
        weakened = await weaken_all(self.loom.database, at=at, due=at - interval)
        if weakened.memories:
            log.info("%d memories were weakened", weakened.memories)


class HistoryErasure(BackgroundJob):
    """Permanently erases forgotten past conversations that can no longer be restored."""

    trouble = "forgotten chunks could not be erased"

    async def look(self) -> None:
        """Erase the conversations whose undo period has ended."""
        kept = timedelta(days=self.loom.settings.undo_days)
        erased = await erase_all_due(self.loom.database, self.loom.clock() - kept)
        if erased.chunks:
            log.info("%d forgotten chunks were erased for good", erased.chunks)


class StepExpiry(BackgroundJob):
    """Deletes the saved steps of old runs, which are many times the size of their answers."""

    trouble = "old saved steps could not be deleted"
    first_pause = 120.0

    async def look(self) -> None:
        """Delete the steps of runs that ended more than `keep_steps_days` ago."""
        before = self.loom.clock() - timedelta(days=self.loom.settings.keep_steps_days)
        for place in await decay.places(self.loom.database):
            caller, dropped = Caller(place.owner, place.space), redaction.SIZE
            while dropped == redaction.SIZE:
                async with self.loom.database.begin(caller) as tx:
                    dropped = await redaction.drop_old_steps(tx, before)
                if dropped:
                    log.info("the saved steps of %d old runs were deleted", dropped)


class ItemExpiry(BackgroundJob):
    """Deletes the items of the key-value store whose time to live is over."""

    trouble = "expired items could not be deleted"
    first_pause = 60.0

    async def look(self) -> None:
        """Delete the expired items of every owner."""
        for place in await decay.places(self.loom.database):
            if place.space != DEFAULT_SPACE:
                continue  # the store has no other
            if swept := await items.sweep(self.loom, Caller(place.owner)):
                log.info("%d expired items were deleted", swept)


def jobs_of(loom: Loom) -> list[BackgroundJob]:
    """Return the background jobs of a serving process."""
    jobs: list[BackgroundJob] = [HistoryErasure(loom), StepExpiry(loom), ItemExpiry(loom)]
    if loom.settings.decay_hours:
        jobs.append(SalienceDecay(loom))
    if loom.settings.cluster_hours:
        jobs.append(BasinUpkeep(loom))
    return jobs
