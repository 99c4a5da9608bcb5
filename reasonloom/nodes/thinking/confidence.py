"""How sure the conclusion is: the streams' own claims, agreement, and constraints it breaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

BREACH = 0.5
"""What is left of the confidence where every constraint is broken."""


def confidence_of(
    claims: Sequence[float],
    agreement: float | None,
    verdicts: Sequence[Mapping[str, Any]],
) -> float:
    """Return 0..1: the mean claim, halved where nobody agrees, lowered by broken constraints.

    `agreement` is None for a stream that thinks alone.
    """
    mean = fmean(claims)
    if agreement is not None:
        mean *= (1 + agreement) / 2
    if verdicts:
        share = sum(each["kept"] is False for each in verdicts) / len(verdicts)
        mean *= 1 - share * (1 - BREACH)
    return round(mean, 4)
