"""Carries out what a search of a Game of 24 asks for, with the packaged prompts.

A thought is one step, such as `4 + 6 = 10`; its data are the numbers left after it. A step to one
number is followed by the answer, written out of all steps; so a search is four levels deep.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from reasonloom.evals.simulated.game24.check import solves
from reasonloom.evals.simulated.game24.constants import WORTH
from reasonloom.evals.simulated.game24.states import TARGET, number, state
from reasonloom.evals.suites.reasoning.orchestration.metering import Meter
from reasonloom.nodes.reasoning.tree_search.treesearch_orders import Order, Thought

MOST = 100
"""Steps that one answer can hold, by its template: a bound that is never reached."""

NUMBERS = 4
ALL = (3, 2, 1)
"""Numbers left at which there is something to judge."""

OPERATIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


def nearness(left: str) -> float:
    """Return a value that is the higher, the fewer numbers are left; above any judgement's."""
    return (NUMBERS - _count(left)) * WORTH["sure"]


@dataclass(frozen=True, slots=True)
class Carrier:
    """Proposes, judges and checks thoughts about one puzzle.

    Attributes:
        meter: whom it asks.
        puzzle: the numbers as a question tells them, such as `4 5 6 10`.
        judged: numbers left at which a judge is asked.
        worth: the value of numbers left that no judge is asked about; with `nearness`, what is
            nearly done is looked at first.
        checked: whether exact arithmetic refuses a step before anything is paid for it: one whose
            result is wrong, and one to a single number that is not 24.
    """

    meter: Meter
    puzzle: str
    judged: Collection[int] = ALL
    worth: Callable[[str], float] = nearness
    checked: bool = False

    async def generate(self, order: Order) -> Mapping[str, Any]:
        """Return the steps that come to mind, or the answer where one number is left."""
        (thought,) = order["thoughts"]
        left = thought["data"] if thought["path"] else self.puzzle
        if _count(left) > 1:
            return {"candidates": await self._steps(thought, left, order["sample"])}
        if left != str(TARGET):
            return {"candidates": []}
        said = await self.meter.ask(
            "game24/answer", sample=order["sample"], puzzle=self.puzzle, steps=thought["path"]
        )
        return {"candidates": [{"text": said["answer"], "final": True}]}

    async def judge(self, order: Order) -> Mapping[str, Any]:
        """Return what the numbers left are worth, by as many judgements as are asked for."""
        (thought,) = order["thoughts"]
        said = await self.meter.ask(
            "game24/value",
            sample=order["sample"],
            numbers=thought["data"],
            attempts=order["count"],
        )
        return {"values": [WORTH[each] for each in said["judgements"]]}

    def proves(self, thought: Thought) -> bool:
        """Return whether an answer is right."""
        return solves(thought["text"], [int(each) for each in self.puzzle.split()])

    async def _steps(self, thought: Thought, left: str, sample: int) -> list[dict[str, Any]]:
        said = await self.meter.ask(
            "game24/propose",
            sample=sample,
            puzzle=self.puzzle,
            steps=thought["path"],
            numbers=left,
        )
        return [
            self._candidate(each["step"], each["left"])
            for each in said["proposals"]
            if not self.checked or hopeful(left, each)
        ]

    def _candidate(self, step: str, left: str) -> dict[str, Any]:
        """Return a step as the search takes it; the same numbers left have the same value."""
        value = None if _count(left) in self.judged else self.worth(left)
        return {"text": step, "data": left, "identity": left, "value": value}


def hopeful(left: str, proposal: Mapping[str, str]) -> bool:
    """Return whether a step's arithmetic is right, and what it leaves is no end but 24."""
    try:
        a, sign, b, _, result = proposal["step"].split()
        taken = (number(a), number(b))
        made = OPERATIONS[sign](*map(Fraction, taken))
        rest = [number(each) for each in left.split()]
        after = state([number(each) for each in proposal["left"].split()])
        said = number(result)
        for each in taken:
            rest.remove(each)
    except (ValueError, KeyError, ZeroDivisionError):
        return False
    right = made == said and after == state([*rest, said])
    return right and (len(after) > 1 or after == (TARGET,))


def _count(left: str) -> int:
    return len(left.split())
