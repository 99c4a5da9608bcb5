"""Shares a bounded number of slots between owners, round-robin."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from reasonloom.telemetry.metrics import HEAVY_CALLS, gauged

STATE = "reasonloom.state"


class Turns:
    """Slots given to owners round-robin; one owner gets at most half of them."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._most = max(1, places // 2)
        self._taken: Counter[str] = Counter()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def place(self, owner: str) -> AsyncIterator[None]:
        """Wait for a slot and hold it."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(owner, deque()).append(turn)
        self._give()
        try:
            with gauged(HEAVY_CALLS, **{STATE: "waiting"}):
                await turn
            with gauged(HEAVY_CALLS, **{STATE: "active"}):
                yield
        finally:
            if turn.done() and not turn.cancelled():
                self._free += 1
                self._taken[owner] -= 1
            self._give()

    def _give(self) -> None:
        """Give free slots to waiting owners."""
        while self._free and (owner := self._next()) is not None:
            queue = self._waiting.pop(owner)
            turn = queue.popleft()
            if queue:
                self._waiting[owner] = queue  # moves the owner to the end of the line
            if not turn.done():  # its task was cancelled
                self._free -= 1
                self._taken[owner] += 1
                turn.set_result(None)

    def _next(self) -> str | None:
        """Return the next owner in turn, None if no one can get a slot."""
        self._taken += Counter()  # drops owners without a slot
        return next((each for each in self._waiting if self._taken[each] < self._most), None)
