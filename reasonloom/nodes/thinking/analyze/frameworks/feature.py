"""One sign that a problem calls for a framework, and how its words are looked for."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Feature:
    """How much evidence a sign is for a framework, and how a reason puts it into words."""

    framework: str
    weight: float
    said: str
    cues: re.Pattern[str]


def any_of(*words: str) -> re.Pattern[str]:
    """Return what finds any of these words, each from its beginning."""
    return re.compile(r"\b(?:" + "|".join(words) + r")", re.I)
