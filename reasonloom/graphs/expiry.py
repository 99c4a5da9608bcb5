"""Drops the saved steps of runs that ended long ago; their rows, replies and answers stay."""

from __future__ import annotations

import logging
from datetime import timedelta

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.background_jobs import Chore
from reasonloom.stores.memory import decay
from reasonloom.stores.runs import old_steps

log = logging.getLogger(__name__)


class Expiry(Chore):
    """The care for saved steps, which are many times the size of what a run came to."""

    trouble = "old saved steps could not be dropped"
    first_pause = 120.0

    async def look(self) -> None:
        """Drop the steps of runs that ended before the days that the settings say."""
        before = self.loom.clock() - timedelta(days=self.loom.settings.keep_steps_days)
        for place in await decay.places(self.loom.database):
            caller, dropped = Caller(place.owner, place.space), old_steps.SIZE
            while dropped == old_steps.SIZE:
                async with self.loom.database.begin(caller) as tx:
                    dropped = await old_steps.drop(tx, before)
                if dropped:
                    log.info("the saved steps of %d old runs were dropped", dropped)
