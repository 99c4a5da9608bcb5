"""Find the faults of an answer: wrong calculations, dates and code, and contradicted figures."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from reasonloom.nodes.reasoning.verification.memories import Contradiction, find_contradictions
from reasonloom.nodes.reasoning.verification.sandbox import SandboxUnavailable, find_code_fault
from reasonloom.nodes.reasoning.verification.statements import check_statements
from reasonloom.text.calculations import holds
from reasonloom.text.shortening import shorten

MOST_FAULTS = 8
LONGEST_SENTENCE = 200
CORRECTED = "{sentence} (right is: {correct})"
WRONG = "a calculation in the answer does not hold: {claim}"
FAILING = "the answer's code fails a check: {fault}"
NOT_RUN = "the answer's code was not run: {why}"
CONTRADICTED = "the answer contradicts mem-{number}: {sentence}"


@dataclass(frozen=True, slots=True)
class Faults:
    """The faults of one answer; `calculations` are text, with the correct result if known.

    `code` is the failure of its Python code, and `not_run` why the code could not be run.
    """

    calculations: list[str] = field(default_factory=list)
    contradictions: list[Contradiction] = field(default_factory=list)
    code: str = ""
    not_run: str = ""

    def __bool__(self) -> bool:
        """Return whether there is any fault."""
        return bool(self.calculations or self.contradictions or self.code)

    @property
    def claims(self) -> list[str]:
        """Return the wrong calculations and code failures, worded for the model that answered."""
        return [*self.calculations, *([self.code] if self.code else [])]

    @property
    def notes(self) -> list[str]:
        """Return a note on each fault."""
        wrong = [WRONG.format(claim=each) for each in self.calculations]
        against = [
            CONTRADICTED.format(number=each.memory_id, sentence=_short(each.sentence))
            for each in self.contradictions
        ]
        code = [FAILING.format(fault=self.code)] if self.code else []
        code += [NOT_RUN.format(why=self.not_run)] if self.not_run else []
        return [*wrong, *against, *code]


async def find_faults(
    answer: str,
    claims: Sequence[str],
    memories: Sequence[Mapping[str, Any]],
    *,
    execute: bool = False,
) -> Faults:
    """Check the claimed calculations of an answer, those in its text, and its figures.

    Figures are compared with `memories`. `execute` also runs its Python code.
    """
    wrong = [each for each in claims if holds(each) is False]
    checked = await asyncio.to_thread(check_statements, answer)
    wrong += [
        CORRECTED.format(sentence=_short(each.sentence), correct=each.correct)
        for each in checked
        if not each.holds
    ]
    against = await find_contradictions(answer, memories)
    faults = Faults([*dict.fromkeys(wrong)][:MOST_FAULTS], against[:MOST_FAULTS])
    if not execute:
        return faults
    try:
        return replace(faults, code=await asyncio.to_thread(find_code_fault, answer))
    except SandboxUnavailable as why:
        return replace(faults, not_run=str(why))


def _short(sentence: str) -> str:
    return shorten(sentence, LONGEST_SENTENCE, placeholder=" …")
