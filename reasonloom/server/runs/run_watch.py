"""Notices changes of runs that clients watch, whichever process executes them."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextvars import copy_context
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR

from reasonloom.errors import ReasonloomError

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.server.engine_lifespan import EngineLifespan
    from reasonloom.stores.runs.run_changes import RunVersion

log = logging.getLogger(__name__)
LOOK_AGAIN = 1.0
"""Seconds between two looks at the rows of watched runs."""

MOST_WATCHED = 100
"""Maximum unfinished runs of one owner that a process watches."""


@dataclass(eq=False, slots=True)
class Watch:
    """What one subscriber watches.

    Attributes:
        found: the runs that its caller has.
        known: the last known versions of those that have not ended.
        changed: called with a run that has changed; must not wait for a client.
    """

    caller: Caller
    found: frozenset[UUID]
    known: dict[UUID, RunVersion]
    changed: Callable[[UUID], Awaitable[None]]


class RunWatch:
    """Watches runs by one query per second and owner, as long as somebody watches any."""

    def __init__(self, lifespan: EngineLifespan) -> None:
        self._lifespan = lifespan
        self._context = copy_context()
        self._watches: set[Watch] = set()
        self._looking: asyncio.Task[None] | None = None

    async def begin(
        self, caller: Caller, run_ids: Collection[UUID], changed: Callable[[UUID], Awaitable[None]]
    ) -> Watch:
        """Watch those of the runs that the caller has; each until it ends.

        Raises:
            MCPError: the owner watches too many, or the database is unavailable.
        """
        self._require_room(caller.owner, len(run_ids))
        try:
            now = await self._versions(caller, run_ids)
        except ReasonloomError as error:
            raise MCPError(code=INTERNAL_ERROR, message=error.message) from None
        known = {each.id: each for each in now if not each.ended}
        self._require_room(caller.owner, len(known))
        watch = Watch(caller, frozenset(each.id for each in now), known, changed)
        if known:
            self._watches.add(watch)
            if self._looking is None or self._looking.done():
                self._looking = self._lifespan.start(self._look(), self._context)
        return watch

    def end(self, watch: Watch) -> None:
        """Watch no longer."""
        self._watches.discard(watch)

    def _require_room(self, owner: str, more: int) -> None:
        watched = sum(len(each.known) for each in self._watches if each.caller.owner == owner)
        if watched + more > MOST_WATCHED:
            reason = f"at most {MOST_WATCHED} runs of one owner are watched; unsubscribe from some"
            raise MCPError(code=INTERNAL_ERROR, message=reason)

    async def _versions(self, caller: Caller, run_ids: Collection[UUID]) -> Sequence[RunVersion]:
        if not run_ids:
            return []
        engine = await self._lifespan.engine()
        from reasonloom.stores.runs import run_changes  # noqa: PLC0415 - heavy

        async with engine.loom.database.begin(caller) as tx:
            return await run_changes.versions(tx, run_ids)

    async def _look(self) -> None:
        while self._watches:
            await asyncio.sleep(LOOK_AGAIN)
            owners: defaultdict[str, list[Watch]] = defaultdict(list)
            for watch in self._watches:
                owners[watch.caller.owner].append(watch)
            for watches in owners.values():
                try:
                    await self._compare(watches)
                except ReasonloomError as error:
                    log.info("watched runs cannot be read now: %s", error.message)

    async def _compare(self, watches: Sequence[Watch]) -> None:
        """Report the changes of one owner's runs."""
        run_ids = {run_id for watch in watches for run_id in watch.known}
        for now in await self._versions(watches[0].caller, run_ids):
            for watch in watches:
                before = watch.known.get(now.id)
                if before is None or before == now:
                    continue
                if now.ended:
                    del watch.known[now.id]
                else:
                    watch.known[now.id] = now
                if watch in self._watches:
                    await watch.changed(now.id)
        for watch in watches:
            if not watch.known:
                self.end(watch)
