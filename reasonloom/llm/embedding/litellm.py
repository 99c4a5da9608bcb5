"""Embedding models of any provider litellm supports; dimension and floor are measured."""

from collections.abc import Sequence
from typing import Any

from reasonloom.errors import EmbedderUnavailable, ServiceFault
from reasonloom.llm.embedding.vectors import UNRELATED, axis, embeddable, floor_of, unit
from reasonloom.llm.providers.faults import AttemptFailed
from reasonloom.llm.providers.litellm import QUIET, close_clients, load_litellm, translate_errors
from reasonloom.llm.providers.retry import RetryPolicy, call_with_retries
from reasonloom.settings import Settings

BATCH = 96
"""Texts per request: the lowest limit among the hosted providers (Cohere's)."""

BYTES_LIMIT = 16_000
"""Maximum UTF-8 bytes sent per text: below 8,191 tokens, the usual context, in any script."""


class LitellmEmbedder:
    """Embeds through `litellm.aembedding`.

    The first use also embeds the 24 sentences of `vectors.py` (about 300 tokens) to measure the
    model's dimension and floor. Blank texts, which providers reject, are not sent: they become
    the first axis. Long texts are truncated at `BYTES_LIMIT`.
    """

    def __init__(self, model: str, settings: Settings) -> None:
        self.model = f"litellm-{model}"
        self._name = f"litellm:{model}"
        self._model = model
        self._patience = RetryPolicy.of(settings)
        self._where = {"api_base": settings.llm_base_url} if settings.llm_base_url else {}
        self._litellm: Any = None
        self._learned: tuple[int, float] | None = None

    @property
    def dimension(self) -> int:
        """Dimension of the vectors, known once a text has been embedded.

        Raises:
            EmbedderUnavailable: no text has been embedded yet.
        """
        return self._known()[0]

    @property
    def floor(self) -> float:
        """The model's own floor, measured on first use.

        Raises:
            EmbedderUnavailable: no text has been embedded yet.
        """
        return self._known()[1]

    def _known(self) -> tuple[int, float]:
        if self._learned is None:
            raise EmbedderUnavailable(f"{self._name}: known after the first text is embedded")
        return self._learned

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one unit vector for each text, in order.

        Raises:
            EmbedderUnavailable: the provider is unreachable, refuses, or sends an invalid reply.
        """
        if not texts:
            return []
        if self._learned is None:
            await self._learn()
        sent = [_fit(text) for text in texts if text.strip()]
        vectors = iter(await self._embed(sent))
        return [next(vectors) if text.strip() else axis(self.dimension) for text in texts]

    async def close(self) -> None:
        """Close litellm's connections, if any were opened."""
        if self._litellm is not None:
            await close_clients(self._litellm)

    async def _learn(self) -> None:
        vectors = await self._embed(list(UNRELATED))
        self._learned = (len(vectors[0]), floor_of(vectors))

    async def _embed(self, texts: list[str]) -> list[list[float]]:
        batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
        vectors = [vector for batch in batches for vector in await self._request(batch)]
        lengths = {len(vector) for vector in vectors}
        if len(lengths | {self._learned[0]} if self._learned else lengths) > 1:
            raise EmbedderUnavailable(f"{self._name}: vectors of different dimensions")
        return vectors

    async def _request(self, batch: list[str]) -> list[list[float]]:
        try:
            self._litellm = self._litellm or await load_litellm()
            vectors, _ = await call_with_retries(
                self._name, lambda: self._send(batch), self._patience
            )
        except ServiceFault as fault:
            raise EmbedderUnavailable(fault.message) from None
        return vectors

    async def _send(self, batch: list[str]) -> list[list[float]]:
        async def call() -> Any:
            return await self._litellm.aembedding(
                model=self._model,
                input=batch,
                timeout=self._patience.request_timeout,
                **self._where,
                **QUIET,
            )

        response = await translate_errors(call)()
        return _vectors(response.data, len(batch))


def _vectors(data: Any, count: int) -> list[list[float]]:
    """Return the vectors in the order of the texts, which providers may not preserve."""
    try:
        ordered = sorted(data, key=lambda item: int(item["index"]))
        vectors = [unit(item["embedding"]) for item in ordered]
    except (TypeError, ValueError, KeyError):
        vectors = []
    if len(vectors) != count or not all(vectors):
        raise AttemptFailed("unreadable reply", retryable=True)
    return vectors


def _fit(text: str) -> str:
    return embeddable(text).encode()[:BYTES_LIMIT].decode("utf-8", "ignore")
