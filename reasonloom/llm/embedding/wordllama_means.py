"""Means of token vectors, many texts at once; apart from the embedder, as numpy is slow to load."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reasonloom.errors import EmbedderUnavailable
from reasonloom.llm.embedding.vectors import axis, embeddable
from reasonloom.llm.embedding.wordllama_vectors import Words

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray


class Means:
    """The package's weights: how texts are divided, and a vector for each token."""

    def __init__(self, model: Any) -> None:
        self._words = Words(model.tokenizer)
        self._vectors: NDArray[np.float32] = model.embedding

    def units(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the mean of each text's token vectors, at length 1 (as `vectors.unit`)."""
        means = np.empty((len(texts), self._vectors.shape[1]))
        for place, tokens in enumerate(self._words.tokens(list(map(embeddable, texts)))):
            found = np.fromiter(tokens, np.intp, len(tokens))
            means[place] = self._vectors.take(found, axis=0).sum(axis=0) / max(1, len(tokens))
        lengths = np.sqrt(np.square(means).sum(axis=1, keepdims=True))
        if not np.isfinite(lengths).all():
            raise EmbedderUnavailable("the embedder's weights are damaged; reinstall reasonloom")
        means[lengths[:, 0] == 0] = axis(means.shape[1])
        told: list[list[float]] = (means / np.where(lengths, lengths, 1)).tolist()
        return told
