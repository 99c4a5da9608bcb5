"""What the simulated critic says of a sentence, and how its reviser takes it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from reasonloom.evals.simulated.constants import SURE, UNSURE
from reasonloom.evals.simulated.critique_problems import (
    ANCHORED,
    DEFECTS,
    OMITTED,
    SLIP,
    UNIT,
    Problem,
)

_REAL = {
    OMITTED: "leaves out that some do not count",
    SLIP: "multiplies wrongly",
    UNIT: "has another unit than what is given",
    ANCHORED: "leans on a guess in place of what was computed",
}
_FALSE = {
    OMITTED: "should count all there are",
    SLIP: "seems to multiply wrongly",
    UNIT: "seems to be in the wrong unit",
    ANCHORED: "ignores the guess, which somebody on the spot has made",
}
_QUOTED = re.compile(r'^(?:- )?"([^"\n]+)" ', re.M)


def criticism(
    problem: Problem, defects: frozenset[str], spoken_of: Iterable[str], areas: Sequence[str]
) -> dict[str, Any]:
    """Return a criticism that speaks of the sentences of these kinds of defect.

    Where a sentence has no such defect, it is a false alarm; it reads as any other.
    """
    sentences = dict(zip(DEFECTS, problem.sentences(defects)[1:], strict=True))
    kinds = [kind for kind in DEFECTS if kind in set(spoken_of)]
    weaknesses = [
        f'"{sentences[kind]}" {(_REAL if kind in defects else _FALSE)[kind]}.' for kind in kinds
    ]
    told = weaknesses[0] if weaknesses else "Nothing was found."
    return {
        "strengths": ["It says what is given, and shows each step."],
        "weaknesses": weaknesses,
        "recommendations": [f'Write "{sentences[kind]}" anew.' for kind in kinds],
        "findings": [{"area": number, "finding": told} for number in range(1, len(areas) + 1)],
        "confidence": UNSURE if weaknesses else SURE,
    }


def quoted(problem: Problem, defects: frozenset[str], words: str) -> frozenset[str]:
    """Return the kinds of defect whose sentences of the answer a criticism begins by quoting."""
    sentences = problem.sentences(defects)[1:]
    said = set(_QUOTED.findall(words))
    return frozenset(kind for kind, each in zip(DEFECTS, sentences, strict=True) if each in said)
