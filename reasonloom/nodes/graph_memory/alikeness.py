"""How alike a memory is to a text, on a fixed scale: what else is stored does not move it.

    likeness   = (meaning + words) / 2
    similarity = the square root of likeness

*Meaning* is (cosine - floor) / (1 - floor), never below 0: what unrelated texts reach with the
embedder counts nothing. *Words* is the share of the text's words that the memory holds, each
weighing as much as it is rare. The same text has 1. By the root 0.5 is where the development
halves of our retrieval sets part best: docs/graph-memory.md tells the figures.
"""

from __future__ import annotations

import math


def alikeness(cosine: float | None, words: float, floor: float | None) -> float:
    """Return how alike a memory is, 0..1; `floor` is None where there is no embedder.

    Without one its words alone count. A `cosine` of None is a memory without a vector.
    """
    if floor is None:
        return math.sqrt(min(1.0, words))
    meaning = max(0.0, ((cosine or 0.0) - floor) / (1 - floor))
    return math.sqrt(min(1.0, (meaning + words) / 2))
