"""Scores answers and criticisms by what was planted. All of it is an oracle: for reports only."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reasonloom.evals.simulated.critique_problems import read_answer
from reasonloom.evals.simulated.saying import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

_QUESTION = re.compile(
    r"has (\d{1,9}) \w+ with (\d{1,9}) \w+ each; "
    r"one of these \w+ (\d{1,9}) (\w+)\. (\d{1,9}) of the "
)
_FINAL = re.compile(r"the answer is (\d{1,15}) (\w+)\.\s*\Z")


@dataclass(frozen=True, slots=True)
class Marks:
    """What a criticism is worth: defects found, defects missed, and false alarms."""

    found: int
    missed: int
    false_alarms: int


@dataclass(frozen=True, slots=True)
class Change:
    """What a revision did: defects that are gone, and defects that are new."""

    repaired: int
    broken: int


def is_right(question: str, answer: str) -> bool:
    """Tell whether an answer ends in the number and unit that the question's own numbers give."""
    asked, told = _QUESTION.search(question), _FINAL.search(answer)
    if asked is None or told is None:
        return False
    groups, parts, each, less = (int(asked[n]) for n in (1, 2, 3, 5))
    return (int(told[1]), told[2]) == ((groups - less) * parts * each, asked[4])


def marks(answer: str, weaknesses: Sequence[str]) -> Marks | None:
    """Return what a criticism of an answer is worth, None where the answer cannot be read."""
    read = read_answer(answer)
    if read is None:
        return None
    problem, defects = read
    blamed = quoted(problem, defects, "\n".join(weaknesses))
    return Marks(len(blamed & defects), len(defects - blamed), len(blamed - defects))


def change(before: str, after: str) -> Change | None:
    """Return what a revision did, None where one of the two cannot be read."""
    old, new = read_answer(before), read_answer(after)
    if old is None or new is None:
        return None
    return Change(len(old[1] - new[1]), len(new[1] - old[1]))
