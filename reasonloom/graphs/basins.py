"""Looks after basins every now and then, in one of the processes that serve."""

from __future__ import annotations

import logging
from datetime import timedelta

from reasonloom.contracts.caller import Caller
from reasonloom.errors import Conflict
from reasonloom.graphs.background_jobs import HOUR, Chore
from reasonloom.nodes.mental_models.basins.upkeep import keep_up
from reasonloom.stores.mental_models.clustering import claim

log = logging.getLogger(__name__)


class Basins(Chore):
    """The care for basins, without a language model; each owner keeps the time of the last look."""

    trouble = "clusters could not be kept up"
    first_pause = 90.0

    def pause(self) -> float:
        """Return a quarter of the time after which an owner is due, an hour at most."""
        return min(self.loom.settings.cluster_hours * HOUR / 4, HOUR)

    async def look(self) -> None:
        """Keep up the clusters of every owner that is due."""
        loom, at = self.loom, self.loom.clock()
        due = at - timedelta(hours=loom.settings.cluster_hours)
        while (owner := await claim(loom.database, at=at, due=due)) is not None:
            try:
                kept = await keep_up(loom, Caller(owner), at)
            except Conflict:
                continue
            if kept.formed:
                log.info("%d clusters were formed", len(kept.formed.basins))
            elif kept.joined:
                log.info("%d memories joined clusters", kept.joined)
