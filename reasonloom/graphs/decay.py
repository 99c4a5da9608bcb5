"""Weakens unread memories about once a day, in one of the processes that serve."""

from __future__ import annotations

import logging
from datetime import timedelta

from reasonloom.graphs.background_jobs import HOUR, Chore
from reasonloom.nodes.memory.maintenance.decay import weaken_all

log = logging.getLogger(__name__)


class Decay(Chore):
    """The care for strengths; each space keeps the time when it was weakened last."""

    trouble = "memories could not be weakened"

    def pause(self) -> float:
        """Return a quarter of the time after which a space is due, an hour at most."""
        return min(self.loom.settings.decay_hours * HOUR / 4, HOUR)

    async def look(self) -> None:
        """Weaken what is due."""
        at, interval = self.loom.clock(), timedelta(hours=self.loom.settings.decay_hours)
        weakened = await weaken_all(self.loom.database, at=at, due=at - interval)
        if weakened.memories:
            log.info("%d memories were weakened", weakened.memories)
