"""What a rule of suspicion is, and how it is searched for in the forms of a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reasonloom.nodes.memory.injection.suspicion_forms import Forms


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: what it looks for, how heavy it is, and what is said where it applies.

    Attributes:
        reason: what is said.
        weight: 0..1.
        cues: the beginnings of words, one of which it cannot do without: most texts hold none.
        anywhere: what stands within a paragraph, in all languages.
        english: of that what is English.
        begins: what stands at the beginning of a line.
    """

    reason: str
    weight: float
    cues: frozenset[str]
    anywhere: re.Pattern[str]
    english: re.Pattern[str]
    begins: re.Pattern[str]

    def applies(self, text: Forms) -> bool:
        """Tell whether a text holds what it looks for, in one form or another."""
        return bool(
            self.begins.search(text.lines)
            or any(self.anywhere.search(each) for each in text.prose)
            or (text.bare is not None and self.english.search(text.bare))
        )


def rule(
    reason: str,
    weight: float,
    cues: str,
    *english: str,
    others: Sequence[str] = (),
    begins: Sequence[str] = (),
) -> Rule:
    """Return a rule; `cues` stand apart by blanks, `others` are in languages that have accents.

    No pattern repeats without bound: the time of a search grows as the text does.
    """
    anywhere = _one_of((*english, *others))
    return Rule(
        reason, weight, frozenset(cues.split()), anywhere, _one_of(english), _one_of(begins)
    )


def _one_of(patterns: Sequence[str]) -> re.Pattern[str]:
    """Return what finds any of some patterns; of none, nothing."""
    return re.compile("|".join(patterns) or r"\A(?!)", re.MULTILINE)
