"""Gives a bounded number of places to owners in turn."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Turns:
    """Places that owners take in turn; one owner has at most half of them."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._most = max(1, places // 2)
        self._taken: Counter[str] = Counter()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def place(self, owner: str) -> AsyncIterator[None]:
        """Hold a place."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(owner, deque()).append(turn)
        self._give()
        try:
            await turn
            yield
        finally:
            if turn.done() and not turn.cancelled():
                self._free += 1
                self._taken[owner] -= 1
            self._give()

    def _give(self) -> None:
        """Give free places to those who wait."""
        while self._free and (owner := self._next()) is not None:
            queue = self._waiting.pop(owner)
            turn = queue.popleft()
            if queue:
                self._waiting[owner] = queue  # the last in turn from now on
            if not turn.done():  # its task was cancelled
                self._free -= 1
                self._taken[owner] += 1
                turn.set_result(None)

    def _next(self) -> str | None:
        """Return the owner whose turn it is."""
        self._taken += Counter()  # without those who have none
        return next((each for each in self._waiting if self._taken[each] < self._most), None)
