"""Runs the hooks of one invocation within the time limit, and records how each ended."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reasonloom.cli.hooks import actions
from reasonloom.cli.hooks.actions import NOTHING_DONE, HookContext, HookResult
from reasonloom.cli.hooks.hosts import HookHost
from reasonloom.cli.hooks.input import HookInput, read_input
from reasonloom.cli.hooks.log import error_summary
from reasonloom.contracts.caller import Caller
from reasonloom.errors import ReasonloomError

if TYPE_CHECKING:
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.nodes.execution import Loom
    from reasonloom.settings import Settings
    from reasonloom.stores.database import Database

STDIN_SECONDS = 5.0
"""Seconds within which the host must send its input; at most half of the limit."""

TIMED_OUT = (
    "the time limit was reached after {seconds:.1f} s: {done}; the next run continues from there"
)
ACTIONS: dict[str, Callable[[HookContext, HookInput], Awaitable[HookResult]]] = {
    "session-start": actions.session_start,
    "session-end": actions.ingest_session,
    "pre-compact": actions.ingest_session,
    "claudemd-generator": actions.claudemd_generator,
}
STORING_HOOKS = ("session-end", "pre-compact")
"""Hooks that need the engine with its embedder, not only the database."""


class HookRunner:
    """The hooks of one invocation; the database is opened once for all of them.

    `answer` writes output for the host, `say` adds a line to the log.
    """

    def __init__(
        self,
        settings: Settings,
        names: Sequence[str],
        begun: float,
        answer: Callable[[str], None],
        say: Callable[..., None],
        host: HookHost,
    ) -> None:
        self.settings, self.names, self.begun, self.host = settings, names, begun, host
        self.answer, self.say = answer, say
        self.caller = Caller(settings.user, client="hook")
        self.context: HookContext | None = None
        self.opening: AbstractAsyncContextManager[Engine] | None = None

    @property
    def passed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.begun

    async def run(self, seconds: float) -> None:
        """Run all hooks, at most until `seconds` after the start."""
        given: HookInput | ReasonloomError
        try:
            given = read_input(min(STDIN_SECONDS, self.settings.hook_seconds / 2))
        except ReasonloomError as error:
            given = error
        for name in self.names:
            at, started = datetime.now(UTC), self.passed
            result = await self._within(seconds, name, given)
            await self._record(name, result, at, (self.passed - started) * 1000)

    async def _within(
        self, seconds: float, name: str, given: HookInput | ReasonloomError
    ) -> HookResult:
        """Run a hook unless time is up; return its result, whatever happens."""
        try:
            async with asyncio.timeout(seconds - self.passed):
                readable = isinstance(given, HookInput)
                self.context = self.context or await self._opened(readable, self.begun + seconds)
                if not isinstance(given, HookInput):
                    return HookResult(given.message, succeeded=False)
                self.context.done = NOTHING_DONE
                return await ACTIONS[name](self.context, given)
        except TimeoutError:
            done = self.context.done if self.context else "the database did not open"
            return HookResult(TIMED_OUT.format(seconds=self.passed, done=done), succeeded=False)
        except Exception as error:  # noqa: BLE001 - the host must never notice
            return HookResult(error_summary(error), succeeded=False)

    async def _opened(self, readable: bool, until: float) -> HookContext:
        """Open the database, and an engine if a hook stores something.

        It is never closed, as the process ends immediately afterwards.
        """
        if readable and any(name in STORING_HOOKS for name in self.names):
            from reasonloom.compose import open_engine

            self.opening = open_engine(self.settings, recover=False)
            loom = (await self.opening.__aenter__()).loom
            return self._context(loom.database, loom, until)
        from reasonloom.stores.servers.opening import open_database

        database = await open_database(self.settings, connections=1)
        return self._context(database, None, until)

    def _context(self, database: Database, loom: Loom | None, until: float) -> HookContext:
        return HookContext(
            self.settings, self.caller, database, loom, self.answer, until, self.host
        )

    async def _record(
        self, name: str, result: HookResult, at: datetime, milliseconds: float
    ) -> None:
        """Record the result: in the log if the hook failed, in the database if that is open."""
        if not result.succeeded:
            self.say(result.message, hook=name)
        if self.context is None:
            return
        from reasonloom.stores.history import hooks

        run = hooks.HookRun(
            name, at, result.succeeded, result.message, milliseconds, result.project
        )
        left = max(0.1, self.settings.hook_seconds - self.passed - 0.2)
        try:
            async with asyncio.timeout(left), self.context.database.begin(self.caller) as tx:
                await hooks.put(tx, run)
        except (TimeoutError, ReasonloomError) as error:
            self.say(f"its status could not be stored: {error_summary(error)}", hook=name)
