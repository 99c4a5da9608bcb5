"""Parts that keep the time spent in them; otherwise they are what they wrap."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from reasonloom.stores.database import Database, Transaction

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.llm.port import Embedder
    from reasonloom.stores.access import Access


class TimedEmbedder:
    """An embedder that adds up its own seconds."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.seconds = 0.0

    @property
    def model(self) -> str:
        """The inner embedder's model."""
        return self._inner.model

    @property
    def dimension(self) -> int:
        """The inner embedder's dimension."""
        return self._inner.dimension

    @property
    def floor(self) -> float:
        """The inner embedder's floor."""
        return self._inner.floor

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed and add the time."""
        started = time.perf_counter()
        try:
            return await self._inner.embed(texts)
        finally:
            self.seconds += time.perf_counter() - started

    async def close(self) -> None:
        """Close the inner embedder."""
        await self._inner.close()


class TimedDatabase(Database):
    """A database that adds up the seconds of its transactions, from connecting to commit."""

    def __init__(self, access: Access, *, connections: int = 5) -> None:
        super().__init__(access, connections=connections)
        self.seconds = 0.0

    @asynccontextmanager
    async def begin(
        self, caller: Caller, *, searching: bool = False, walking: bool = False
    ) -> AsyncIterator[Transaction]:
        """Open a transaction and add its time."""
        started = time.perf_counter()
        async with super().begin(caller, searching=searching, walking=walking) as tx:
            yield tx
        self.seconds += time.perf_counter() - started
