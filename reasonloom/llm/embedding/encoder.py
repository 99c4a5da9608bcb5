"""The embedder that runs the packaged encoder."""

import asyncio
import os
from collections.abc import Sequence
from functools import partial

from reasonloom.llm.embedding.vectors import axis, embeddable
from reasonloom.llm.encoder.encoder import DIMENSION, LONG_TEXT, MOST_WINDOWS, PASSAGE, encode

WORKERS = min(4, os.cpu_count() or 1)
"""Threads per call; concurrent calls do not share them."""

READ_OF_LONG = 40_000
"""Characters read from all long texts (`LONG_TEXT`) of one call together. With more than five of
them each gets a smaller share, so that they take at most about two seconds per call."""


class EncoderEmbedder:
    """Mean of the packaged encoder's token vectors: 384 dimensions, texts of any length.

    A text of more than 256 tokens is split into windows, whose vectors are averaged. A text
    without tokens (the empty one) becomes the first axis; see `vectors.unit`.
    """

    model = "reasonloom-minilm-1"
    dimension = DIMENSION
    floor = 0.166

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one unit vector of 384 dimensions for each text, in order.

        Raises:
            EmbedderUnavailable: the packaged weights cannot be loaded.
        """
        parts = range(min(WORKERS, len(texts)))
        long = sum(len(text) > LONG_TEXT for text in texts)
        read = partial(_vectors, min(MOST_WINDOWS * PASSAGE, READ_OF_LONG // max(1, long) or 1))
        made = await asyncio.gather(
            *(asyncio.to_thread(read, texts[part :: len(parts)]) for part in parts)
        )
        return [made[place % len(parts)][place // len(parts)] for place in range(len(texts))]

    async def close(self) -> None:
        """Do nothing: no resources are held."""


def _vectors(most: int, texts: Sequence[str]) -> list[list[float]]:
    """Return the vectors of the texts, reading at most `most` characters of a long one."""
    made = encode([embeddable(text) for text in texts], most)
    return [axis(DIMENSION) if vector is None else vector.tolist() for vector in made]
