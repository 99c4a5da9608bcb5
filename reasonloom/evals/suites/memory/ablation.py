"""Puts memories that were found in the order they would have without one of the signals.

What an answer explains of each memory is enough for it: nothing is searched anew, so that a
signal's candidates stay among those that are put in order.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from reasonloom.nodes.memory.retrieval.scoring import SCALE

PARTS = {"similarity": 0.6, "salience": 0.2, "recency": 0.1, "linkWeight": 0.1}
"""The reference's composite."""


def without_each(memories: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return for each signal, and each part beside similarity, the ids in the order without it."""
    if not memories:
        return {}
    signals = list(memories[0]["explanation"]["signals"])
    parts = [part for part in PARTS if part != "similarity"]
    return {
        name: [memory["id"] for memory in sorted(memories, key=lambda each: -_score(each, name))]
        for name in (*signals, *parts)
    }


def _score(memory: Mapping[str, Any], without: str) -> float:
    explained = memory["explanation"]
    kept = sum(share for name, share in explained["signals"].items() if name != without)
    parts = {**explained, "similarity": math.tanh(max(0.0, kept) / SCALE)}
    return float(sum(weight * parts[part] for part, weight in PARTS.items() if part != without))
