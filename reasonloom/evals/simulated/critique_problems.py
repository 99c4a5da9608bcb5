"""Problems whose drafts have known defects, and the simulated critic's published rates.

The rates were fixed before any loop was run with them. Source: Huang et al., "Large language
models cannot self-correct reasoning yet" (ICLR 2024): accuracy at the start, after rounds 1 and 2
of self-correction without a judge, and with an oracle that stops at a right answer. Both rates were
solved: `mend` from the oracle's row (two rounds), then `spoil` from round 1. Round 2 is a
prediction, which fails for CommonSenseQA with GPT-3.5 (36.4 %, published 41.8 %).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from reasonloom.evals.simulated.conversation import GPT_4, GPT_35, Price
from reasonloom.evals.simulated.datasets import require_between
from reasonloom.evals.simulated.draw import stream


@dataclass(frozen=True, slots=True)
class Case:
    """One 2023 model on one set of questions; tokens are estimated from the texts.

    Attributes:
        start: share of first answers that are right. Measured.
        mend: probability that a round makes a wrong answer right. Solved.
        spoil: probability that a round makes a right answer wrong. Solved.
        published: shares of right answers after round 1, after round 2, and with the oracle.
            Measured.
    """

    name: str
    start: float
    mend: float
    spoil: float
    published: tuple[float, float, float]
    price: Price


CASES: Final = {
    case.name: case
    for case in (
        Case("gpt-4/gsm8k", 0.955, 0.255, 0.054, (0.915, 0.890, 0.975), GPT_4),
        Case("gpt-3.5/gsm8k", 0.759, 0.193, 0.072, (0.751, 0.747, 0.843), GPT_35),
        Case("gpt-3.5/commonsenseqa", 0.758, 0.348, 0.608, (0.381, 0.418, 0.897), GPT_35),
        Case("gpt-4/commonsenseqa", 0.820, 0.102, 0.053, (0.795, 0.800, 0.855), GPT_4),
    )
}

JUDGE_ERROR: Final = 0.10
"""Probability that the judge prefers the worse answer. Assumed, not measured.

Chen et al. (ACL 2024) find that search pays off with a discriminator of about 90 % accuracy. The
first gated round improves all four cases while the error is below .154 (break-even for GPT-3.5 on
CommonSenseQA; for GPT-4 on GSM8K it is .182).
"""

MOST_PLANTED: Final = 3
"""Maximum defects of a wrong draft, drawn uniformly from 1. Assumed; the rates are per answer."""

SURE, UNSURE, UNDECIDED = 0.8, 0.3, 0.5
"""Confidences stated by the model. Assumed, because no source gives figures."""

OMITTED, SLIP, UNIT, ANCHORED = "omitted constraint", "slip", "wrong unit", "anchoring"
DEFECTS = (OMITTED, SLIP, UNIT, ANCHORED)
"""The kinds of planted defect; the n-th occurs in the n-th sentence after the givens."""

SLIPPED_BY = 10


@dataclass(frozen=True, slots=True)
class Scene:
    """The wording of a problem: groups, parts, units, and who guesses."""

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
    """A scene with numbers: `groups` of `parts` worth `each`; `less` of the groups do not count."""

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
        """Return the problem as a question."""
        scene = self.scene
        return (
            f"{scene.place} has {self.groups} {scene.group} with {self.parts} {scene.part} each; "
            f"one of these {scene.does} {self.each} {scene.unit}. {self.less} of the "
            f"{scene.group} {scene.stay} and do not count. {scene.guesser} guesses {self.guess} "
            f"{scene.unit}. How many {scene.unit} are it?"
        )

    def sentences(self, defects: frozenset[str] = frozenset()) -> list[str]:
        """Return the givens, then one sentence for each kind of defect."""
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
        """Return an answer with these defects, whose consequences affect the later steps."""
        return " ".join(self.sentences(defects))


_GIVEN = re.compile(
    r"Given are (\d{1,6}) (\w+) of which (\d{1,6}) [\w ]+, (\d{1,6}) \w+ in each, "
    r"(\d{1,6}) \w+ for one, and a guess of (\d{1,9}) \w+\."
)


def read_answer(text: str) -> tuple[Problem, frozenset[str]] | None:
    """Parse an answer into its problem and defects; None if the text is not such an answer."""
    joined = " ".join(text.split())
    match = _GIVEN.match(joined)
    scene = next((each for each in SCENES if match and each.group == match[2]), None)
    if match is None or scene is None:
        return None
    groups, less, parts, each, guess = (int(match[n]) for n in (1, 3, 4, 5, 6))
    problem = Problem(scene, groups, parts, each, less, guess)
    return next(
        ((problem, defects) for defects in subsets() if problem.answer(defects) == joined), None
    )


def subsets() -> Iterator[frozenset[str]]:
    """Yield every set of defects, the empty one first."""
    for size in range(len(DEFECTS) + 1):
        yield from map(frozenset, combinations(DEFECTS, size))


MOST_ITEMS = 10_000


@dataclass(frozen=True, slots=True)
class CritiqueItem:
    """A question, its draft, and the draft's planted defects, which are hidden from the loops."""

    id: str
    question: str
    draft: str
    planted: frozenset[str]


def generate_critique(case: Case, count: int, seed: int) -> list[CritiqueItem]:
    """Generate items whose share of right drafts is the case's `start`, rounded to whole items.

    Equal arguments give equal items; `seed` determines which drafts are wrong.
    """
    require_between("count", count, 1, MOST_ITEMS)
    wrong = round((1 - case.start) * count)
    lot = stream(seed, case.name, "wrong drafts")
    flawed = set(lot.sample(range(count), wrong))
    return [_item(case, seed, number, flawed=number in flawed) for number in range(count)]


def _item(case: Case, seed: int, number: int, *, flawed: bool) -> CritiqueItem:
    chance = stream(seed, case.name, "problem", sample=number)
    groups = chance.randint(11, 40)
    problem = Problem(
        scene=chance.choice(SCENES),
        groups=groups,
        parts=chance.randint(11, 60),
        each=chance.randint(2, 19),
        less=chance.randint(2, groups // 2),
        guess=10 * chance.randint(10, 3_000) + 7,
    )
    if problem.guess == problem.total:
        problem = replace(problem, guess=problem.guess + 10)
    planted = chance.sample(DEFECTS, chance.randint(1, MOST_PLANTED)) if flawed else []
    defects = frozenset(planted)
    item_id = f"{case.name}/{number}"
    return CritiqueItem(item_id, problem.question(), problem.answer(defects), defects)
