"""Erases for good what was forgotten of past conversations, once it can be undone no more."""

from __future__ import annotations

import logging
from datetime import timedelta

from reasonloom.graphs.background_jobs import Chore
from reasonloom.nodes.history.erasure import erase_all_due

log = logging.getLogger(__name__)


class Erasure(Chore):
    """The care for what was forgotten."""

    trouble = "what was forgotten could not be erased"

    async def look(self) -> None:
        """Erase what is due."""
        kept = timedelta(days=self.loom.settings.undo_days)
        erased = await erase_all_due(self.loom.database, self.loom.clock() - kept)
        if erased.chunks:
            log.info("%d forgotten chunks were erased for good", erased.chunks)
