"""How relevant chunks are to a question: by the passages in them that come nearest, and by words.

A chunk is about several things; its one vector lies between them. So the passages of the chunks
that a walk may tell are compared one by one, and the best count: one for a question, which asks
for one thing, two for a moment that is described.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from reasonloom.nodes.history.gist import said_in
from reasonloom.nodes.memory.vectors import embed_or_say

if TYPE_CHECKING:
    from reasonloom.llm.port import Embedder
    from reasonloom.stores.history.chunk_walks import WalkChunk

OF_A_QUESTION, OF_A_MOMENT = 1, 2
"""Passages of a chunk that count, the nearest."""

WORDS = 0.5
"""What all words of the question weigh beside a likeness of 1."""

MOST = 160
"""Passages that are compared in all: what a recall may cost beside its search."""

LETTERS = 300
"""Characters of a passage that are compared."""


async def relevances(
    embedder: Embedder,
    asked: Sequence[float] | None,
    chunks: Mapping[int, WalkChunk],
    covered: Mapping[int, float],
    best: int,
) -> dict[int, float]:
    """Return the relevance of each chunk, 0..1; by words alone without a vector.

    Args:
        embedder: makes the vectors of passages.
        asked: the question's vector, None where there is none.
        chunks: those that are judged.
        covered: the share of the question's words, by weight, that each holds, 0..1.
        best: how many passages of each count.
    """
    alike = await _alike(embedder, asked, chunks, best) if asked is not None else None
    if alike is None:
        return {key: covered.get(key, 0.0) for key in chunks}
    return {
        key: _relevance(alike.get(key, 0.0), covered.get(key, 0.0), embedder.floor)
        for key in chunks
    }


def _relevance(cosine: float, words: float, floor: float) -> float:
    """Return what likeness and words come to; 0 for what shares none and is as unlike as any."""
    if not words and cosine <= floor:
        return 0.0
    return (max(0.0, cosine) + WORDS * words) / (1 + WORDS)


async def _alike(
    embedder: Embedder, asked: Sequence[float], chunks: Mapping[int, WalkChunk], best: int
) -> dict[int, float] | None:
    """Return the mean likeness of each chunk's best passages; None where there is no embedder."""
    each = max(1, MOST // max(1, len(chunks)))
    said = {key: _spread(said_in(chunk.content), each) for key, chunk in chunks.items()}
    owners = [key for key, texts in said.items() for _ in texts]
    vectors, _ = await embed_or_say(embedder, [one for texts in said.values() for one in texts])
    if not vectors:
        return None
    near: dict[int, list[float]] = {}
    for key, cosine in zip(owners, _cosines(asked, vectors), strict=True):
        near.setdefault(key, []).append(cosine)
    nearest = {key: sorted(values)[-best:] for key, values in near.items()}
    return {key: sum(values) / len(values) for key, values in nearest.items()}


def _spread(texts: Sequence[str], most: int) -> list[str]:
    """Return the passages, neighbours joined where there are more than `most`."""
    size = -(-len(texts) // most)
    starts = range(0, len(texts), size or 1)
    return ["\n".join(texts[start : start + size])[:LETTERS] for start in starts]


def _cosines(asked: Sequence[float], vectors: Sequence[Sequence[float]]) -> list[float]:
    one, others = np.asarray(asked), np.asarray(vectors)
    sizes = np.linalg.norm(one) * np.linalg.norm(others, axis=1)
    cosines: list[float] = (others @ one / np.where(sizes > 0, sizes, 1)).tolist()
    return cosines
