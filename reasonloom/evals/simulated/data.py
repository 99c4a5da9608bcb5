"""Problems with a first answer each, of which a known share is right."""

from __future__ import annotations

from dataclasses import dataclass, replace

from reasonloom.evals.simulated.constants import MOST_PLANTED, Case
from reasonloom.evals.simulated.critique_problems import DEFECTS, SCENES, Problem
from reasonloom.evals.simulated.draw import stream
from reasonloom.evals.simulated.table import require_between

MOST_ITEMS = 10_000


@dataclass(frozen=True, slots=True)
class CritiqueItem:
    """A question, its draft, and what was planted in the draft, which no loop may see."""

    id: str
    question: str
    draft: str
    planted: frozenset[str]


def generate(case: Case, count: int, seed: int) -> list[CritiqueItem]:
    """Return items whose drafts are right as often as the case's first answers, rounded.

    The same arguments give the same items; which of them are wrong is drawn.

    Raises:
        InvalidArgument: `count` is out of range.
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
