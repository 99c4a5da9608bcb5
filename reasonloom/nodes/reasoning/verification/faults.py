"""Find the faults of an answer: wrong calculations, dates and code, and contradicted figures."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from reasonloom.nodes.reasoning.verification.dates import check_dates
from reasonloom.nodes.reasoning.verification.equations import check_equations
from reasonloom.nodes.reasoning.verification.memories import Contradiction, find_contradictions
from reasonloom.nodes.reasoning.verification.sandbox import SandboxUnavailable, find_code_fault
from reasonloom.text.calculations import SPELLINGS, holds
from reasonloom.text.contradiction import CODE
from reasonloom.text.sentences import sentences_in
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


MOST_CHARACTERS, MOST_SENTENCES, MOST_CHECKS = 20_000, 300, 200

_SIGNS = str.maketrans(
    {each: meant for each, meant in SPELLINGS.items() if meant in ("*", "/", "-")} | {"⋅": "*"}
)
_BULLET = re.compile(r"^(?:[-*\u2022]|\d+[.)])\s+")
_QUOTED = re.compile(r'"[^"\n]*"|\u201c[^\u201d\n]*\u201d|\u00ab[^\u00bb\n]*\u00bb')
_UNSURE = re.compile(
    r"\b(?:not|never|neither|nor|wrong(?:ly)?|incorrect(?:ly)?|false|untrue|mistake[ns]?"
    r"|if|suppose|assum(?:e|ing)|imagine|unless|rather than|claim(?:s|ed)?|says?|said|wrote|writes"
    r"|according to|binary|hex(?:adecimal)?|octal|mod(?:ulo)?|should be"
    r"|(?:business|working|work|trading) days?)\b|n['\u2019]t\b|\?\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Checked:
    """A checked statement: its sentence, whether it holds, and the correct statement."""

    sentence: str
    holds: bool
    correct: str


def check_statements(text: str) -> list[Checked]:
    """Return the verifiable statements of a text, in order: calculations, units, dates and times.

    Quotes, negations, suppositions and questions are not checked, nor is anything ambiguous: a
    false alarm costs another model call.
    """
    unquoted = _QUOTED.sub(" … ", CODE.sub("\n", text[:MOST_CHARACTERS]))
    found: list[Checked] = []
    for sentence in islice(sentences_in(unquoted), MOST_SENTENCES):
        if not any(map(str.isdigit, sentence)) or _UNSURE.search(sentence):
            continue
        plain = _BULLET.sub("", sentence).translate(_SIGNS)
        for verdict, correct in (*check_equations(plain), *check_dates(plain)):
            if verdict is not None:
                found.append(Checked(sentence, verdict, correct))
    return found[:MOST_CHECKS]
