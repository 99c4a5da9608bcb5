"""The embedder on wordllama's packaged static token vectors; no network, no torch."""

from __future__ import annotations

import asyncio
import importlib
import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reasonloom.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasonloom.llm.embedding.wordllama_vectors import Means

FLOOR = 0.16
"""Measured on the 276 unrelated pairs of `vectors.py`: 95 % have a cosine of at most 0.157. Short
questions against the same statements score lower (0.122), and true paraphrases without a common
word often just above, so a higher floor would lose relevant results."""

SHORT = 10_000
"""Characters embedded inline: faster than waking a thread (about a millisecond)."""


class WordllamaEmbedder:
    """Mean of the token vectors of wordllama's `l2_supercat`, 256 dimensions, any text length.

    A text without tokens (the empty one) becomes the first axis; see `vectors.unit`.
    """

    model = "wordllama-l2_supercat-256"
    dimension = 256
    floor = FLOOR

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: Means | None = None

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one unit vector of 256 dimensions for each text, in order.

        Raises:
            EmbedderUnavailable: the package or its weights cannot be loaded.
        """
        if self._loaded is not None and sum(map(len, texts)) <= SHORT:
            return self._embed(list(texts))
        return await asyncio.to_thread(self._embed, list(texts)) if texts else []

    async def close(self) -> None:
        """Do nothing: no resources are held."""

    def _embed(self, texts: list[str]) -> list[list[float]]:
        return self._load().units(texts)

    def _load(self) -> Means:
        with self._lock:
            if self._loaded is None:
                from reasonloom.llm.embedding.wordllama_vectors import Means  # noqa: PLC0415  # numpy

                self._loaded = Means(_read_model())
            return self._loaded


def _read_model() -> Any:
    """Load the weights from the package's own folder and undo its changes to the root logger."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        package = importlib.import_module("wordllama")
        folder = Path(str(package.__file__)).parent
        return package.WordLlama.load(cache_dir=folder, disable_download=True)
    except Exception as error:  # noqa: BLE001  # a load fails in many ways
        raise EmbedderUnavailable(
            f"wordllama cannot be loaded ({type(error).__name__}); reinstall reasonloom"
        ) from None
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
