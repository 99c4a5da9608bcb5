"""A simulated critic that answers the reflection prompts, and an oracle that scores it.

The critic sees only the text of a question and the schema of the answer; it detects defects by
parsing the answer's sentences. Randomness is in the criticism only, and the revision follows it:
each of an answer's k defects is found with probability `mend` ** (1 / k), so all of them with
probability `mend`; in a right answer one sentence is blamed with probability `spoil`. A round thus
repairs and breaks answers at the case's rates regardless of history, as assumed when the rates were
solved. A wrong answer gets no false alarms, because the rates are net. The judge recognises the
better of two answers, except for its own error rate.

To draw another answer to the same question, set `Ask.sample`, as a loop does after a round that
changed nothing. The oracle's marks are for reports only.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reasonloom.errors import InvalidArgument
from reasonloom.evals.simulated.conversation import SimulatedModel, Unreadable, form_of, passages
from reasonloom.evals.simulated.critique_problems import (
    ANCHORED,
    DEFECTS,
    JUDGE_ERROR,
    OMITTED,
    SLIP,
    SURE,
    UNDECIDED,
    UNIT,
    UNSURE,
    Case,
    Problem,
    read_answer,
)
from reasonloom.evals.simulated.draw import chance, stream
from reasonloom.llm.interfaces import Ask, Usage

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
    """Return a criticism of the sentences that can have these kinds of defect.

    Blaming a sentence without that defect is a false alarm, worded like any other weakness.
    """
    sentences = dict(zip(DEFECTS, problem.sentences(defects)[1:], strict=True))
    kinds = [kind for kind in DEFECTS if kind in set(spoken_of)]
    weaknesses = [
        f'"{sentences[kind]}" {(_REAL if kind in defects else _FALSE)[kind]}.' for kind in kinds
    ]
    finding = weaknesses[0] if weaknesses else "Nothing was found."
    return {
        "strengths": ["It says what is given, and shows each step."],
        "weaknesses": weaknesses,
        "recommendations": [f'Write "{sentences[kind]}" anew.' for kind in kinds],
        "findings": [{"area": number, "finding": finding} for number in range(1, len(areas) + 1)],
        "confidence": UNSURE if weaknesses else SURE,
    }


def quoted(problem: Problem, defects: frozenset[str], words: str) -> frozenset[str]:
    """Return the kinds of defect whose sentence a criticism quotes at the start of a line."""
    sentences = problem.sentences(defects)[1:]
    quotes = set(_QUOTED.findall(words))
    return frozenset(kind for kind, each in zip(DEFECTS, sentences, strict=True) if each in quotes)


_QUESTION = re.compile(
    r"has (\d{1,9}) \w+ with (\d{1,9}) \w+ each; "
    r"one of these \w+ (\d{1,9}) (\w+)\. (\d{1,9}) of the "
)
_FINAL = re.compile(r"the answer is (\d{1,15}) (\w+)\.\s*\Z")


@dataclass(frozen=True, slots=True)
class Marks:
    """Counts for a criticism: defects found, defects missed, and false alarms."""

    found: int
    missed: int
    false_alarms: int


@dataclass(frozen=True, slots=True)
class Change:
    """Effect of a revision: defects removed and defects added."""

    repaired: int
    broken: int


def is_right(question: str, answer: str) -> bool:
    """Return whether an answer ends with the number and unit that follow from the question."""
    problem, final = _QUESTION.search(question), _FINAL.search(answer)
    if problem is None or final is None:
        return False
    groups, parts, each, less = (int(problem[n]) for n in (1, 2, 3, 5))
    return (int(final[1]), final[2]) == ((groups - less) * parts * each, problem[4])


def marks(answer: str, weaknesses: Sequence[str]) -> Marks | None:
    """Score a criticism of an answer; None if the answer cannot be parsed."""
    read = read_answer(answer)
    if read is None:
        return None
    problem, defects = read
    blamed = quoted(problem, defects, "\n".join(weaknesses))
    return Marks(len(blamed & defects), len(defects - blamed), len(blamed - defects))


def change(before: str, after: str) -> Change | None:
    """Return the effect of a revision; None if either text cannot be parsed."""
    old, new = read_answer(before), read_answer(after)
    if old is None or new is None:
        return None
    return Change(len(old[1] - new[1]), len(new[1] - old[1]))


FORMS: dict[str, dict[str, Any]] = {
    "criticism": {
        "strengths": ["..."],
        "weaknesses": ["..."],
        "recommendations": ["..."],
        "findings": [{"area": 1, "finding": "..."}],
        "confidence": 0.5,
    },
    "revision": {"revision": "..."},
    "verdict": {"better": "first", "first_score": 0.5, "second_score": 0.5, "reason": "..."},
}
MOST_AREAS = 20


@dataclass(frozen=True, slots=True)
class _Read:
    """A parsed answer, with the keys for its random draws."""

    problem: Problem
    defects: frozenset[str]

    @property
    def item(self) -> str:
        return self.problem.question()

    @property
    def state(self) -> str:
        return ", ".join(sorted(self.defects))


class SimulatedCritic(SimulatedModel):
    """Criticises, revises and compares answers at a published case's rates."""

    name = "simulated:critique"

    def __init__(self, case: Case, seed: int, *, judge_error: float = JUDGE_ERROR) -> None:
        if not 0.0 <= judge_error <= 1.0:
            raise InvalidArgument("judge_error: must be 0 to 1", field="judge_error")
        self._case, self._seed, self._judge_error = case, seed, judge_error
        self.price = case.price

    def respond(self, question: tuple[str, str], ask: Ask) -> tuple[dict[str, Any], Usage]:
        """Criticise, revise or compare, depending on the requested form."""
        form = form_of(ask.schema, FORMS)
        parsed = _ANSWERS[form](self, passages(question[1]), ask.sample)
        return parsed, self.estimated_usage(question, str(parsed))

    def _criticise(self, found_passages: Mapping[str, str], sample: int) -> dict[str, Any]:
        read = _answer(found_passages, "answer")
        areas = found_passages.get("focus_areas", "").splitlines()[:MOST_AREAS]
        draw = stream(self._seed, read.item, "criticise", read.state, sample)
        if read.defects:
            found = self._case.mend ** (1 / len(read.defects))
            spoken_of = [kind for kind in DEFECTS if kind in read.defects and draw.random() < found]
        else:
            spoken_of = [draw.choice(DEFECTS)] if draw.random() < self._case.spoil else []
        return criticism(read.problem, read.defects, spoken_of, areas)

    def _revise(self, found_passages: Mapping[str, str], _: int) -> dict[str, Any]:
        """Toggle the defects of the quoted sentences: remove one that is present, else add it."""
        read = _answer(found_passages, "answer")
        blamed = quoted(read.problem, read.defects, found_passages.get("criticism", ""))
        return {"revision": read.problem.answer(read.defects ^ blamed)}

    def _compare(self, found_passages: Mapping[str, str], sample: int) -> dict[str, Any]:
        first, second = _answer(found_passages, "first"), _answer(found_passages, "second")
        if first.problem != second.problem:
            raise Unreadable("The two are answers to different questions.")
        lead = len(second.defects) - len(first.defects)
        if lead == 0:
            return _verdict("neither", UNDECIDED, UNDECIDED)
        # Sorted, so that the draw ignores the order: the judge has no position bias.
        pair = " / ".join(sorted((first.state, second.state)))
        errs = chance(self._seed, first.item, "compare", pair, sample) < self._judge_error
        if (lead > 0) != errs:
            return _verdict("first", SURE, UNSURE)
        return _verdict("second", UNSURE, SURE)


_ANSWERS = {
    "criticism": SimulatedCritic._criticise,
    "revision": SimulatedCritic._revise,
    "verdict": SimulatedCritic._compare,
}


def _verdict(better: str, first: float, second: float) -> dict[str, Any]:
    reason = "Its steps hold better." if better != "neither" else "Both are as good."
    return {"better": better, "first_score": first, "second_score": second, "reason": reason}


def _answer(found_passages: Mapping[str, str], name: str) -> _Read:
    read = read_answer(found_passages.get(name, ""))
    if read is None:
        raise Unreadable(f"The {name} is none of those that I know to judge.")
    return _Read(*read)
