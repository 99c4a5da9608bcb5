"""Text similarity: cosine of the embeddings, or of word counts if there is no embedder."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np

from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.memory.embedding import embed_or_note
from reasonloom.text.words import words_in

Bag = Mapping[str, int]
BY_WORDS = "no embedder: likeness was counted by shared words"


@dataclass(frozen=True, slots=True)
class Similarity:
    """Compares the texts that it was created from.

    `floor` is the cosine of unrelated texts: the embedder's own, or 0 for word counts.
    """

    vectors: Mapping[str, Sequence[float] | np.ndarray]
    floor: float
    notes: list[str] = field(default_factory=list)

    def cosine(self, first: str, second: str) -> float:
        """Return the cosine similarity of two texts, clipped to 0..1; 1 for identical texts."""
        if first == second:
            return 1.0
        if self.vectors:
            raw = float(np.dot(self.vectors[first], self.vectors[second]))
        else:
            raw = _cosine_of_counts(Counter(words_in(first)), Counter(words_in(second)))
        return min(1.0, max(0.0, raw))

    def of(self, first: str, second: str) -> float:
        """Return the similarity of two texts: (cosine - floor) / (1 - floor), at least 0."""
        return max(0.0, (self.cosine(first, second) - self.floor) / (1 - self.floor))

    def nearest(self, text: str, others: Mapping[str, str]) -> list[str]:
        """Return the names of the others with at least the mean similarity to a text."""
        alike = {name: self.of(text, other) for name, other in others.items()}
        mean = fmean(alike.values())
        return [name for name, each in alike.items() if each >= mean or math.isclose(each, mean)]


async def similarity_of(embedder: Embedder, texts: Sequence[str]) -> Similarity:
    """Return the similarities of `texts`; by word counts, with a note, if embedding fails."""
    different = list(dict.fromkeys(texts))
    if not different:
        return Similarity({}, 0.0)
    vectors, notes = await embed_or_note(embedder, different)
    if notes:
        return Similarity({}, 0.0, [BY_WORDS])
    rows = np.asarray(vectors, dtype=float)
    return Similarity(dict(zip(different, rows, strict=True)), embedder.floor)


def _cosine_of_counts(first: Bag, second: Bag) -> float:
    length = math.hypot(*first.values()) * math.hypot(*second.values())
    shared = sum(count * second[word] for word, count in first.items() if word in second)
    return shared / length if length else 0.0
