"""Bounds how long an answer that is not read may be held, with the connection it is for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable


@dataclass(slots=True)
class Unread:
    """What a connection was given and has not taken.

    `seconds`, and as many more as its bytes earn at `rate` a second, are what it may take; then
    the connection is given up and `late` called.
    """

    loop: asyncio.AbstractEventLoop
    transport: asyncio.WriteTransport
    seconds: float
    rate: float
    late: Callable[[], None]
    _timer: asyncio.TimerHandle | None = field(default=None, init=False)

    def begin(self) -> None:
        """Give what is held now its time; what runs already goes on."""
        held = self.transport.get_write_buffer_size()
        if held and self._timer is None:
            self._timer = self.loop.call_later(self.seconds + held / self.rate, self._give_up)

    def end(self) -> None:
        """It was taken, or the connection is gone."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self.late()
        self.transport.abort()
