"""Tells what the score of a memory that was found is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reasonloom.contracts.memory.tools import Explanation

if TYPE_CHECKING:
    from reasonloom.nodes.memory.retrieval.retrieve import Scored

DIGITS = 6
"""Digits of a score that are told."""


def explanation(scored: Scored) -> Explanation:
    """Return what a score is made of."""
    parts, signals = scored.parts, scored.signals
    asked: dict[str, Any] = {}
    if signals is not None:
        shares = {name: round(share, DIGITS) for name, share in signals.shares().items()}
        asked = {"similarity": round(parts.similarity or 0.0, DIGITS), "signals": shares}
    return Explanation(
        salience=parts.salience,
        recency=round(parts.recency, DIGITS),
        link_weight=round(parts.link, DIGITS),
        **asked,
    )
