"""Parts that follow the database: drawn again when a cheap look says that something changed."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from nicegui import ui

from reasonloom.errors import ReasonloomError

log = logging.getLogger(__name__)
EVERY = 0.1
"""Seconds between two looks: a step is to be seen within 300 ms of its commit."""

M = TypeVar("M")


class Live(Generic[M]):
    """Looks at `mark` while the page is open, and calls `draw` when it has another value.

    Nothing is looked at while nobody is connected. A look that fails is told above the part, which
    keeps what it showed, and is tried again.
    """

    def __init__(
        self,
        mark: Callable[[], Awaitable[M]],
        draw: Callable[[], Awaitable[None]],
        *,
        every: float = EVERY,
    ) -> None:
        self._mark = mark
        self._draw = draw
        self._known: M | None = None
        self._away = ui.label().classes("studio-away").props("role=status")
        self._away.visible = False
        self._timer = ui.timer(every, self._look, immediate=False)

    async def begin(self) -> None:
        """Draw for the first time, within the page's building.

        Raises:
            ReasonloomError: what cannot be read, which the frame tells.
        """
        self._known = await self._mark()
        await self._draw()

    async def _look(self) -> None:
        if not self._away.client.has_socket_connection:
            return
        try:
            mark = await self._mark()
            if mark != self._known:
                await self._draw()
                self._known = mark
        except ReasonloomError as error:
            self._away.text = f"Not up to date: {error.message}"
            self._away.visible = True
        else:
            self._away.visible = False
