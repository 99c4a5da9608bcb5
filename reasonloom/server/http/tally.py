"""Says what happens again and again once a minute, with how often: anybody could fill the log."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

MINUTE = 60.0


class Tally:
    """Counts one kind of event and warns of it, at once and then once a minute at most."""

    def __init__(
        self, log: logging.Logger, told: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Warn with `told`, and how often it happened since it was told last."""
        self._log = log
        self._told = told
        self._clock = clock
        self._quiet_until = float("-inf")
        self._times = 0

    def count(self) -> None:
        """Count one event."""
        self._times += 1
        now = self._clock()
        if now < self._quiet_until:
            return
        self._log.warning("%s: %d since this was last said", self._told, self._times)
        self._times, self._quiet_until = 0, now + MINUTE
