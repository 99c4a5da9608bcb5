"""An engine that is opened on first use, so that tools can be listed immediately."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from contextvars import Context, copy_context
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from reasonloom.errors import ReasonloomError
from reasonloom.server.catalogue.selection import choose

if TYPE_CHECKING:
    from reasonloom.graphs.runs.call import Call, Outcome
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.settings import Settings

T = TypeVar("T")
log = logging.getLogger(__name__)
AFTER_SIGNAL = 5.0
AFTER_CLIENT = 10.0
"""Seconds until the process exits after a signal, and after its client disconnects."""


def exit_within(seconds: float) -> None:
    """Force an exit after `seconds`, even if a thread blocks: threads cannot be cancelled.

    Acknowledged work is in the database, and interrupted runs are resumed later.
    """

    def end() -> None:
        log.warning("a thread does not stop: the process exits without it")
        logging.shutdown()
        os._exit(0)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()


class CallRunner(Protocol):
    """Decides where a call runs."""

    async def call(self, engine: Engine, call: Call) -> Outcome:
        """Run a call in this engine or elsewhere."""

    def leave(self) -> None:
        """Leave interrupted runs to other processes."""

    async def close(self) -> None:
        """Stop everything it has started."""


class EngineLifespan:
    """Opens the engine once and closes it on exit; failed attempts are retried."""

    def __init__(self, settings: Settings, *, serves: bool = True, **parts: Any) -> None:
        """Store the settings, and what is passed to `open_engine`; `serves` if it is a server's."""
        self.settings = settings
        self.heavy: CallRunner | None = None
        self._serves = serves
        self._parts = parts
        self._context = copy_context()
        self._stack = AsyncExitStack()
        self._engine: Engine | None = None
        self._opening: asyncio.Task[Engine] | None = None
        self._warming: asyncio.Task[None] | None = None
        self._background: set[asyncio.Task[Any]] = set()

    async def __aenter__(self) -> EngineLifespan:
        return self

    async def __aexit__(self, *raised: object) -> None:
        for task in (self._warming, self._opening):
            if task:
                task.cancel()
                await asyncio.wait([task])
        for work in self._background:
            work.cancel()
        if self._background:
            await asyncio.wait(self._background, timeout=AFTER_SIGNAL / 2)
        if self.heavy:
            await self.heavy.close()
        await self._stack.aclose()

    @property
    def opened(self) -> Engine | None:
        """The engine, if it is open."""
        return self._engine

    async def engine(self) -> Engine:
        """Return the engine, opening it if needed; opening continues if the caller is cancelled.

        Raises:
            DatabaseUnavailable: it cannot be opened now; the next call retries.
            SettingMistake: it cannot be opened with these settings.
        """
        if self._engine is not None:
            return self._engine
        if self._opening is None:
            # In this object's context, as what it starts outlives the call that needs it.
            self._opening = asyncio.create_task(self._open(), context=self._context)
            self._opening.add_done_callback(self._opened)
        return await asyncio.shield(self._opening)

    async def call(self, engine: Engine, call: Call) -> Outcome:
        """Run a call, through the runner for heavy calls if the server has one."""
        return await (self.heavy.call(engine, call) if self.heavy else engine.call(call))

    def start(
        self, work: Coroutine[Any, Any, T], context: Context | None = None
    ) -> asyncio.Task[T]:
        """Start work that outlives its request; the end of the server cancels it.

        Without a context of its own, it spends the budget of the request's owner.
        """
        task = asyncio.create_task(work, context=context)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        return task

    def _opened(self, opening: asyncio.Task[Engine]) -> None:
        """Store the engine, or let the next call retry."""
        self._opening = None
        if not opening.cancelled() and opening.exception() is None:
            self._engine = opening.result()

    async def _open(self) -> Engine:
        # Importing takes a second or more, during which the loop must answer pings.
        compose = await asyncio.to_thread(import_module, "reasonloom.compose")
        offered = choose(self.settings).offered if self._serves else None
        opening = compose.open_engine(self.settings, offered=offered, **self._parts)
        engine: Engine = await self._stack.enter_async_context(opening)
        return engine

    def leave(self) -> None:
        """Leave interrupted runs to other processes, as this one is about to exit."""
        if self._engine is not None:
            self._engine.rows.leaving = True
        if self.heavy:
            self.heavy.leave()

    def warm_up(self) -> None:
        """Start opening the engine in the background; errors surface on the first call."""
        if self._warming is None:
            self._warming = asyncio.create_task(self._warm())

    async def _warm(self) -> None:
        try:
            await self.engine()
        except ReasonloomError as error:
            log.warning("not ready yet: %s", error.message)
