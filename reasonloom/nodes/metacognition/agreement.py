"""How far the lenses agree with each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from statistics import fmean
from types import MappingProxyType
from typing import Any

from reasonloom.nodes.metacognition.confidence import WEIGHTS
from reasonloom.nodes.metacognition.quality import SIDES
from reasonloom.nodes.metacognition.state import PartName, Vote

NUMBERS: Mapping[PartName, Callable[[dict[str, Any]], dict[str, float]]] = MappingProxyType(
    {
        "bias": lambda said: {each["type"]: each["confidence"] for each in said["biases"]},
        "confidence": lambda said: {name: said[name] for name in WEIGHTS},
        "quality": lambda said: {name: said[name] for name in SIDES},
        "emotion": lambda said: {each["emotion"]: each["score"] for each in said["emotions"]},
    }
)
"""What of a lens's answer is held against another's: numbers 0..1 under their names."""


def agreement(votes: Sequence[Vote]) -> float | None:
    """Return the mean agreement of all pairs of lenses that looked at the same part, 0..1.

    Of a pair it is 1 less the mean difference of the numbers that either gives, where one that
    a lens does not give is 0; 1 where neither gives any. None where no two were heard.
    """
    heard = [vote for vote in votes if vote["said"] is not None]
    pairs = [pair for pair in combinations(heard, 2) if pair[0]["part"] == pair[1]["part"]]
    return round(fmean(_of(*pair) for pair in pairs), 3) if pairs else None


def _of(one: Vote, other: Vote) -> float:
    ours, theirs = (NUMBERS[vote["part"]](vote["said"] or {}) for vote in (one, other))
    names = {**ours, **theirs}
    differ = [abs(ours.get(name, 0.0) - theirs.get(name, 0.0)) for name in names]
    return 1 - fmean(differ) if differ else 1.0
