"""Weakens unread memories about once a day, in one of the processes that serve."""

from __future__ import annotations

import asyncio
import logging
import random
from datetime import timedelta
from typing import TYPE_CHECKING

from reasonloom.errors import DatabaseUnavailable
from reasonloom.nodes.decay import weaken_all

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Loom

log = logging.getLogger(__name__)
FIRST_PAUSE = 30.0
"""Seconds a process lets its first calls go before, give or take half."""

LONGEST_PAUSE = 3600.0
"""Seconds between two looks for what is due; most looks find nothing."""


class Decay:
    """The care for strengths, one task in each process that serves.

    Each space keeps the time when it was weakened last, so that it does not matter how many
    processes look, how often, or for how long they live.
    """

    def __init__(self, loom: Loom, *, first_pause: float = FIRST_PAUSE) -> None:
        self._loom = loom
        self._first_pause = first_pause

    async def run(self) -> None:
        """Weaken what is due, for ever; ends by being cancelled."""
        hours = self._loom.settings.decay_hours
        pause = self._first_pause
        while True:
            await asyncio.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311 - spreads processes
            pause = min(hours * 3600 / 4, LONGEST_PAUSE)
            try:
                await self._weaken(timedelta(hours=hours))
            except DatabaseUnavailable:
                log.debug("memories could not be weakened: the database is away")
            except Exception:
                log.exception("memories could not be weakened")

    async def _weaken(self, interval: timedelta) -> None:
        at = self._loom.clock()
        weakened = await weaken_all(self._loom.database, at=at, due=at - interval)
        if weakened.memories:
            log.info("%d memories were weakened", weakened.memories)
