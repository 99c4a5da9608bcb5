"""How what was computed and what the lenses say become one."""

from __future__ import annotations

from collections.abc import Iterable

LLM_SHARE = 0.75
"""What the lenses count where both parts have looked."""

MOST_TOLD = 10


def mixed(judged: float, computed: float) -> float:
    """Return a number of both parts."""
    return round(LLM_SHARE * judged + (1 - LLM_SHARE) * computed, 4)


def distinct(texts: Iterable[str]) -> list[str]:
    """Return texts in their order, each once whatever its case, at most `MOST_TOLD`."""
    kept = {text.strip().casefold(): text.strip() for text in reversed(list(texts))}
    return list(reversed(kept.values()))[:MOST_TOLD]
