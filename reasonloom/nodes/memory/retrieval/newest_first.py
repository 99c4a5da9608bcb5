"""Puts the newer of two memories first where it seems to give a later value of the same thing.

Only among the best memories of a question about now, and only until somebody settles it.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from reasonloom.errors import EmbedderUnavailable
from reasonloom.llm.classifier import answers, replaces
from reasonloom.nodes.memory.replacement import LIKELY
from reasonloom.nodes.memory.retrieval.answerable import as_read
from reasonloom.nodes.memory.retrieval.scoring import ScoredMemory

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

BEST = 5
"""The best memories of a question that are compared."""

MOST_PAIRS = 8
EVENT = "episodic"
ALIKE = 0.4
"""The least cosine of two memories that are read together: that of nine tenths of the pairs that
replace in `training/cases`, and of half of those that have nothing to do with each other."""

COMPARABLE = 0.8
"""The least score of the newer one, as a share of the older one's."""

MARGIN = 1.0
"""How much worse the newer one may answer the question, in logarithms of odds."""

READ = 2_000


class Rivals(NamedTuple):
    """An older memory and a newer one that ranks after it."""

    older: ScoredMemory
    newer: ScoredMemory


def rivals(best: Sequence[ScoredMemory], now: datetime) -> list[Rivals]:
    """Return the pairs of the best that may have to change their order.

    An older event still happened, and what is dated in the future is not known to hold.
    """
    pairs = (Rivals(first, second) for first, second in combinations(best[:BEST], 2))
    return [pair for pair in pairs if _may_replace(pair.older, pair.newer, now)]


def _may_replace(older: ScoredMemory, newer: ScoredMemory, now: datetime) -> bool:
    times = older.memory.valid_from, newer.memory.valid_from
    return (
        times[0] < times[1] <= now
        and older.memory.sector != EVENT
        and older.memory.superseded_by is None
        and newer.memory.superseded_by is None
        and newer.score >= COMPARABLE * older.score
        and not (newer.signals and newer.signals.suspicion)
    )


async def newest_first(
    question: str,
    ranked: Sequence[ScoredMemory],
    pairs: Sequence[Rivals],
    cosines: Mapping[tuple[int, int], float],
) -> list[ScoredMemory]:
    """Return memories in their order, with a newer one before the one that it seems to replace.

    At most `MOST_PAIRS` pairs of sufficient cosine, by the numbers (older, newer), are read.
    """
    near = [
        pair
        for pair in pairs
        if cosines.get((pair.older.memory.id, pair.newer.memory.id), 0.0) >= ALIKE
    ]
    ordered = list(ranked)
    try:
        moved = await _replacing(question, near[:MOST_PAIRS])
    except EmbedderUnavailable:
        return ordered
    for older, newer in moved:
        if ordered.index(older) < ordered.index(newer):
            ordered.remove(newer)
            ordered.insert(ordered.index(older), newer)
    return ordered


async def _replacing(question: str, pairs: Sequence[Rivals]) -> list[Rivals]:
    """Return for each older memory the newer one that most likely replaces it, if one does."""
    texts = [(each.older.memory.content[:READ], each.newer.memory.content[:READ]) for each in pairs]
    likeliest: dict[int, tuple[float, Rivals]] = {}
    for pair, probability in zip(pairs, await replaces(texts), strict=True):
        known, _ = likeliest.get(pair.older.memory.id, (LIKELY, pair))
        if probability >= known:
            likeliest[pair.older.memory.id] = probability, pair
    found = [pair for _, pair in likeliest.values()]
    odds = iter(await answers([(as_read(each.memory, question), question) for pair in found
                               for each in pair]))  # fmt: skip
    return [pair for pair in found if next(odds) - next(odds) <= MARGIN]
