"""What every process that serves looks after: now and then, whatever is due."""

from __future__ import annotations

import asyncio
import logging
import random
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from reasonloom.errors import DatabaseUnavailable, SettingMistake

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Loom

log = logging.getLogger(__name__)
HOUR = 3600.0


class Chore(ABC):
    """One task in each process that serves.

    The database tells what is due, so that it does not matter how many processes look, how often,
    or for how long they live.

    Attributes:
        trouble: what the log says where it fails.
        first_pause: seconds a process lets its first calls go before, give or take half.
    """

    trouble: ClassVar[str]
    first_pause = 30.0

    def __init__(self, loom: Loom, *, first_pause: float | None = None) -> None:
        self.loom = loom
        self._pause = self.first_pause if first_pause is None else first_pause

    @abstractmethod
    async def look(self) -> None:
        """Do what is due."""

    def pause(self) -> float:
        """Return the seconds between two looks; most looks find nothing."""
        return HOUR

    async def run(self) -> None:
        """Look and do what is due, for ever; ends by being cancelled."""
        while True:
            spread = random.uniform(0.5, 1.5)  # noqa: S311 - keeps processes from looking at once
            await asyncio.sleep(self._pause * spread)
            self._pause = self.pause()
            try:
                await self.look()
            except DatabaseUnavailable:
                log.debug("%s: the database is away", self.trouble)
            except SettingMistake as missing:
                log.info("%s", missing.message)
            except Exception:
                log.exception("%s", self.trouble)
