"""Scores of a ranked list against what is relevant; every item is relevant or not."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

DEPTHS = (5, 10, 20)
CUT = 10


def scores(ranked: Sequence[str], relevant: Collection[str]) -> dict[str, float]:
    """Return recall@5/10/20, hit@10, nDCG@10 (binary gains) and MRR, each in 0..1."""
    found = {f"recall@{depth}": recall(ranked, relevant, depth) for depth in DEPTHS}
    return {
        **found,
        f"hit@{CUT}": float(any(item in relevant for item in ranked[:CUT])),
        f"ndcg@{CUT}": ndcg(ranked, relevant, CUT),
        "mrr": reciprocal_rank(ranked, relevant),
    }


def recall(ranked: Sequence[str], relevant: Collection[str], depth: int) -> float:
    """Return the share of `relevant` among the first `depth`."""
    return len(set(ranked[:depth]) & set(relevant)) / len(relevant)


def ndcg(ranked: Sequence[str], relevant: Collection[str], depth: int) -> float:
    """Return the discounted cumulative gain over the best possible (Järvelin, Kekäläinen 2002)."""
    gained = sum(
        1 / math.log2(place + 2) for place, item in enumerate(ranked[:depth]) if item in relevant
    )
    best = sum(1 / math.log2(place + 2) for place in range(min(depth, len(relevant))))
    return gained / best


def reciprocal_rank(ranked: Sequence[str], relevant: Collection[str]) -> float:
    """Return one over the place of the first relevant item, 0 where there is none."""
    return next((1 / (place + 1) for place, item in enumerate(ranked) if item in relevant), 0.0)


def unanswerable(found: Sequence[float]) -> dict[str, float]:
    """Return how a question that nothing answers was met: 1 where nothing came, and the best score.

    `found` are the scores of what came, best first.
    """
    return {"nothing_found": float(not found), "best_score": found[0] if found else 0.0}
