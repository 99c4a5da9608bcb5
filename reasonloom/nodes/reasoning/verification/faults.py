"""What checks find wrong in an answer: calculations and dates, and what memory contradicts."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reasonloom.nodes.reasoning.verification.memories import Contradiction, find_contradictions
from reasonloom.nodes.reasoning.verification.statements import check_statements
from reasonloom.text.calculations import holds
from reasonloom.text.shortening import shorten

MOST_FAULTS = 8
LONGEST_SENTENCE = 200
CORRECTED = "{sentence} (right is: {correct})"
WRONG = "a calculation in the answer does not hold: {claim}"
CONTRADICTED = "the answer contradicts mem-{number}: {sentence}"


@dataclass(frozen=True, slots=True)
class Faults:
    """The faults of one answer; `calculations` are in words, with what is right where known."""

    calculations: list[str] = field(default_factory=list)
    contradictions: list[Contradiction] = field(default_factory=list)

    def __bool__(self) -> bool:
        """Tell whether there is any."""
        return bool(self.calculations or self.contradictions)

    @property
    def notes(self) -> list[str]:
        """Return a note on each."""
        wrong = [WRONG.format(claim=each) for each in self.calculations]
        against = [
            CONTRADICTED.format(number=each.memory_id, sentence=_short(each.sentence))
            for each in self.contradictions
        ]
        return [*wrong, *against]


async def find_faults(
    answer: str, claims: Sequence[str], memories: Sequence[Mapping[str, Any]]
) -> Faults:
    """Check the calculations that an answer rests on and those in its text, and its figures.

    `memories` are those that its figures are compared with.
    """
    wrong = [each for each in claims if holds(each) is False]
    checked = await asyncio.to_thread(check_statements, answer)
    wrong += [
        CORRECTED.format(sentence=_short(each.sentence), correct=each.correct)
        for each in checked
        if not each.holds
    ]
    against = await find_contradictions(answer, memories)
    return Faults([*dict.fromkeys(wrong)][:MOST_FAULTS], against[:MOST_FAULTS])


def _short(sentence: str) -> str:
    return shorten(sentence, LONGEST_SENTENCE, placeholder=" …")
