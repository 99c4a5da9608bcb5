"""Keeps the engine for a server: opened on first use, so that tools are listed at once."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack
from importlib import import_module
from typing import TYPE_CHECKING

from reasonloom.errors import ReasonloomError

if TYPE_CHECKING:
    from reasonloom.graphs.engine import Engine
    from reasonloom.settings import Settings

log = logging.getLogger(__name__)


class EngineRoom:
    """Opens the engine once and closes it at the end; a failed opening is tried again."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._stack = AsyncExitStack()
        self._engine: Engine | None = None
        self._opening = asyncio.Lock()
        self._warming: asyncio.Task[None] | None = None

    async def __aenter__(self) -> EngineRoom:
        return self

    async def __aexit__(self, *raised: object) -> None:
        if self._warming:
            self._warming.cancel()
            await asyncio.wait([self._warming])
        await self._stack.aclose()

    async def engine(self) -> Engine:
        """Return the engine.

        Raises:
            DatabaseUnavailable: it cannot be opened now; the next call tries again.
            SettingMistake: it cannot be opened with these settings.
        """
        if self._engine is None:
            async with self._opening:
                if self._engine is None:
                    self._engine = await self._open()
        return self._engine

    async def _open(self) -> Engine:
        # Loading the parts takes a second or more; meanwhile the loop must answer pings.
        compose = await asyncio.to_thread(import_module, "reasonloom.compose")
        engine: Engine = await self._stack.enter_async_context(compose.open_engine(self.settings))
        return engine

    def warm_up(self) -> None:
        """Begin to open the engine in the background; faults are told at the first call."""
        if self._warming is None:
            self._warming = asyncio.create_task(self._warm())

    async def _warm(self) -> None:
        try:
            await self.engine()
        except ReasonloomError as error:
            log.warning("not ready yet: %s", error.message)
