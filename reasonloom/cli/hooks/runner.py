"""Does one hook after another within the time that is left, and keeps how each went."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reasonloom.cli.hooks import actions
from reasonloom.cli.hooks.actions import NOTHING_DONE, HookContext, HookResult
from reasonloom.cli.hooks.input import HookInput, read_input
from reasonloom.cli.hooks.log import error_summary
from reasonloom.contracts.caller import Caller
from reasonloom.errors import ReasonloomError

if TYPE_CHECKING:
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.settings import Settings

STDIN_SECONDS = 5.0
"""How long the host may take to say what happened; half of the limit where that is less."""

TIMED_OUT = (
    "the time limit was reached after {seconds:.1f} s: {done}; the next time goes on from there"
)
ACTIONS: dict[str, Callable[[HookContext, HookInput], Awaitable[HookResult]]] = {
    "session-start": actions.session_start,
    "session-end": actions.ingest_session,
    "pre-compact": actions.ingest_session,
    "claudemd-generator": actions.claudemd_generator,
}
STORING_HOOKS = ("session-end", "pre-compact")
"""Those that need all parts, the embedder too, and not the database alone."""


class HookRunner:
    """The hooks of one call; the database is opened once for all, and closed by the end.

    `answer` writes what the host is to read, `say` adds a line to the log.
    """

    def __init__(
        self,
        settings: Settings,
        names: Sequence[str],
        begun: float,
        answer: Callable[[str], None],
        say: Callable[..., None],
    ) -> None:
        self.settings, self.names, self.begun = settings, names, begun
        self.answer, self.say = answer, say
        self.caller = Caller(settings.user, client="hook")
        self.room: HookContext | None = None
        self.opening: AbstractAsyncContextManager[Engine] | None = None

    @property
    def passed(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self.begun

    async def run(self, seconds: float) -> None:
        """Do all that is asked for by `seconds` after the beginning."""
        given: HookInput | ReasonloomError
        try:
            given = read_input(min(STDIN_SECONDS, self.settings.hook_seconds / 2))
        except ReasonloomError as error:
            given = error
        for name in self.names:
            at, started = datetime.now(UTC), self.passed
            went = await self._within(seconds, name, given)
            await self._keep(name, went, at, (self.passed - started) * 1000)

    async def _within(
        self, seconds: float, name: str, given: HookInput | ReasonloomError
    ) -> HookResult:
        """Do what a hook is for, unless the time is over; return how it went, whatever happened."""
        try:
            async with asyncio.timeout(seconds - self.passed):
                heard = isinstance(given, HookInput)
                self.room = self.room or await self._opened(heard, self.begun + seconds)
                if not isinstance(given, HookInput):
                    return HookResult(given.message, succeeded=False)
                self.room.done = NOTHING_DONE
                return await ACTIONS[name](self.room, given)
        except TimeoutError:
            done = self.room.done if self.room else "the database did not open"
            return HookResult(TIMED_OUT.format(seconds=self.passed, done=done), succeeded=False)
        except Exception as error:  # noqa: BLE001 - told in the log, and never the host's matter
            return HookResult(error_summary(error), succeeded=False)

    async def _opened(self, heard: bool, until: float) -> HookContext:
        """Open the database, with an engine on it where a hook stores something.

        It is left open: the process ends right after.
        """
        if heard and any(name in STORING_HOOKS for name in self.names):
            from reasonloom.compose import open_engine  # noqa: PLC0415

            self.opening = open_engine(self.settings, recover=False)
            loom = (await self.opening.__aenter__()).loom
            return HookContext(self.settings, self.caller, loom.database, loom, self.answer, until)
        from reasonloom.stores.access import find_access  # noqa: PLC0415
        from reasonloom.stores.database import Database  # noqa: PLC0415
        from reasonloom.stores.migrate import bring_up_to_date  # noqa: PLC0415

        access = await find_access(self.settings)
        await bring_up_to_date(access)
        database = Database(access, connections=1)
        return HookContext(self.settings, self.caller, database, None, self.answer, until)

    async def _keep(self, name: str, went: HookResult, at: datetime, milliseconds: float) -> None:
        """Keep how a hook went: in the log where it failed, in the database where that is open."""
        if not went.succeeded:
            self.say(went.message, hook=name)
        if self.room is None:
            return
        from reasonloom.stores.history import hooks  # noqa: PLC0415

        run = hooks.HookRun(name, at, went.succeeded, went.message, milliseconds, went.project)
        left = max(0.1, self.settings.hook_seconds - self.passed - 0.2)
        try:
            async with asyncio.timeout(left), self.room.database.begin(self.caller) as tx:
                await hooks.put(tx, run)
        except (TimeoutError, ReasonloomError) as error:
            self.say(f"its status could not be stored: {error_summary(error)}", hook=name)
