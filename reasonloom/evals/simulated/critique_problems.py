"""A problem in words, and answers to it that are right or have known defects.

An answer is written from its problem and the set of its defects, and read back by nothing but its
text: it restates what is given, so that it can be judged without the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

OMITTED, SLIP, UNIT, ANCHORED = "omitted constraint", "slip", "wrong unit", "anchoring"
DEFECTS = (OMITTED, SLIP, UNIT, ANCHORED)
"""The kinds that can be planted; the n-th is in the n-th sentence after what is given."""

SLIPPED_BY = 10


@dataclass(frozen=True, slots=True)
class Scene:
    """What a problem is about: words for its groups, parts and units, and who guesses."""

    place: str
    group: str
    part: str
    stay: str
    does: str
    unit: str
    wrong_unit: str
    guesser: str


SCENES = (
    Scene("A depot", "crates", "boxes", "stay behind", "weighs", "kg", "g", "The office"),
    Scene("A theatre", "rows", "seats", "are closed", "brings", "euros", "cents", "The usher"),
    Scene("A library", "shelves", "books", "are locked", "takes", "cm", "mm", "The clerk"),
)


@dataclass(frozen=True, slots=True)
class Problem:
    """A scene with its numbers: `groups` of `parts`, each worth `each`; `less` do not count."""

    scene: Scene
    groups: int
    parts: int
    each: int
    less: int
    guess: int

    @property
    def total(self) -> int:
        """The true answer, in the scene's unit."""
        return (self.groups - self.less) * self.parts * self.each

    def question(self) -> str:
        """Return the problem as it is asked."""
        scene = self.scene
        return (
            f"{scene.place} has {self.groups} {scene.group} with {self.parts} {scene.part} each; "
            f"one of these {scene.does} {self.each} {scene.unit}. {self.less} of the "
            f"{scene.group} {scene.stay} and do not count. {scene.guesser} guesses {self.guess} "
            f"{scene.unit}. How many {scene.unit} are it?"
        )

    def sentences(self, defects: frozenset[str] = frozenset()) -> list[str]:
        """Return what is given, then one sentence for each kind of defect."""
        scene = self.scene
        left = self.groups if OMITTED in defects else self.groups - self.less
        held = left * self.parts + (SLIPPED_BY if SLIP in defects else 0)
        made = f"{held * self.each} {scene.wrong_unit if UNIT in defects else scene.unit}"
        anchored = f"The guess is near enough, so the answer is {self.guess} {scene.unit}."
        return [
            f"Given are {self.groups} {scene.group} of which {self.less} {scene.stay}, "
            f"{self.parts} {scene.part} in each, {self.each} {scene.unit} for one, and a guess "
            f"of {self.guess} {scene.unit}.",
            f"So {left} {scene.group} count.",
            f"They hold {left} x {self.parts} = {held} {scene.part}.",
            f"These make {held} x {self.each} = {made}.",
            anchored if ANCHORED in defects else f"So the answer is {made}.",
        ]

    def answer(self, defects: frozenset[str] = frozenset()) -> str:
        """Return an answer with these defects; what follows from one is wrong as well."""
        return " ".join(self.sentences(defects))


_GIVEN = re.compile(
    r"Given are (\d{1,6}) (\w+) of which (\d{1,6}) [\w ]+, (\d{1,6}) \w+ in each, "
    r"(\d{1,6}) \w+ for one, and a guess of (\d{1,9}) \w+\."
)


def read_answer(text: str) -> tuple[Problem, frozenset[str]] | None:
    """Return the problem and the defects of an answer, None where the text is no such answer."""
    told = " ".join(text.split())
    match = _GIVEN.match(told)
    scene = next((each for each in SCENES if match and each.group == match[2]), None)
    if match is None or scene is None:
        return None
    groups, less, parts, each, guess = (int(match[n]) for n in (1, 3, 4, 5, 6))
    problem = Problem(scene, groups, parts, each, less, guess)
    return next(
        ((problem, defects) for defects in subsets() if problem.answer(defects) == told), None
    )


def subsets() -> Iterator[frozenset[str]]:
    """Yield every set of defects, the empty one first."""
    for size in range(len(DEFECTS) + 1):
        yield from map(frozenset, combinations(DEFECTS, size))
