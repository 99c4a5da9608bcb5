"""Puts the streams' insights together: those that come to the same are one, with all sources."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from reasonloom.nodes.reasoning.tree_search.apart import Apart
from reasonloom.nodes.similarity import Likeness
from reasonloom.text.quotes import bare

SAME = 0.1
"""How far apart two insights are at most that come to the same, as in a tree."""

MOST = 12
"""Insights that are told, the weightiest ones."""

LEFT_OUT = "{count} insights of less weight were left out"


def merged(insights: Sequence[dict[str, Any]], likeness: Likeness) -> list[dict[str, Any]]:
    """Return the insights, weightiest first: importance times confidence.

    Each has the sources of all that say the same, the greatest importance and the mean
    confidence among them; `labels` are theirs.
    """
    words = {each["content"]: bare(each["content"]) for each in insights}
    apart = Apart(likeness)
    groups: list[list[dict[str, Any]]] = []
    for each in insights:
        for group in groups:
            first, other = group[0]["content"], each["content"]
            if words[first] == words[other] or apart(first, other) <= SAME:
                group.append(each)
                break
        else:
            groups.append([each])
    return sorted(map(_one, groups), key=lambda each: -each["importance"] * each["confidence"])


def same(first: str, second: str, likeness: Likeness) -> bool:
    """Tell whether two texts come to the same: in the same words, or hardly apart."""
    return bare(first) == bare(second) or Apart(likeness)(first, second) <= SAME


def _one(group: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "content": group[0]["content"],
        "sources": list(dict.fromkeys(each["stream"] for each in group)),
        "labels": [each["label"] for each in group],
        "importance": round(max(float(each["importance"]) for each in group), 4),
        "confidence": round(fmean(float(each["confidence"]) for each in group), 4),
    }
