"""Embedders around a real one: one embeds each text once, others fail as real ones do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from reasonloom.errors import EmbedderUnavailable
from reasonloom.llm.interfaces import Embedder


class LeavingEmbedder:
    """Embeds like another one until it is `gone`."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.gone = False

    @property
    def model(self) -> str:
        """Return the other one's model."""
        return self._inner.model

    @property
    def dimension(self) -> int:
        """Return the other one's dimension."""
        return self._inner.dimension

    @property
    def floor(self) -> float:
        """Return the other one's floor."""
        return self._inner.floor

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the other one's vectors; raises EmbedderUnavailable once it is gone."""
        if self.gone:
            raise EmbedderUnavailable("gone")
        return await self._inner.embed(texts)

    async def close(self) -> None:
        """Close nothing: the other one is its maker's."""


class RememberingEmbedder(LeavingEmbedder):
    """Embeds like another one, each text once: tests store the same texts over and over."""

    def __init__(self, inner: Embedder) -> None:
        super().__init__(inner)
        self._known: dict[str, list[float]] = {}

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the other one's vectors."""
        if new := [text for text in dict.fromkeys(texts) if text not in self._known]:
            self._known.update(zip(new, await super().embed(new), strict=True))
        return [list(self._known[text]) for text in texts]


class PausingEmbedder(LeavingEmbedder):
    """Embeds like another one; what somebody does meanwhile, once, is `meanwhile`."""

    def __init__(self, inner: Embedder) -> None:
        super().__init__(inner)
        self.meanwhile: Callable[[], Awaitable[object]] | None = None

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Let the other thing happen, then return the other one's vectors."""
        happens, self.meanwhile = self.meanwhile, None
        if happens:
            await happens()
        return await super().embed(texts)


class SlowToLoad(LeavingEmbedder):
    """Embeds like another one that takes `seconds` to load, at its first use."""

    def __init__(self, inner: Embedder, seconds: float) -> None:
        super().__init__(inner)
        self.seconds = seconds

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Load, if that has not been done, and return the other one's vectors."""
        seconds, self.seconds = self.seconds, 0.0
        await asyncio.sleep(seconds)
        return await super().embed(texts)
