"""The published search of a Game of 24 written down anew, in plain loops over the port."""

from __future__ import annotations

from math import fsum
from typing import Any, NamedTuple

from reasonloom.evals.simulated.game24.check import solves
from reasonloom.evals.simulated.game24.constants import WORTH
from reasonloom.evals.simulated.game24.model import Game24Model
from tests.evals.simulated.simulated_llm import asking


class Kept(NamedTuple):
    """A state on the beam: the steps to it, and the numbers left."""

    steps: tuple[str, ...]
    left: str


class PlainTree:
    """Yao et al. 2023, algorithm 1, with three rounds of steps and one of answers."""

    def __init__(self, puzzle: str, seed: int) -> None:
        self.puzzle, self.llm = puzzle, Game24Model(seed)
        self.costs: list[float] = []
        self.values: dict[str, float] = {}

    async def told(self, prompt: str, **variables: Any) -> Any:
        """Ask, and note the price."""
        reply = await self.llm.answer(asking(f"game24/{prompt}", **variables))
        assert reply.parsed is not None
        self.costs.append(reply.usage.cost_usd or 0.0)
        return reply.parsed

    async def value(self, left: str) -> float:
        """Judge a state once, in one call of three; the published value is a sum, not a mean."""
        if left not in self.values:
            said = await self.told("value", numbers=left, attempts=3)
            given = said["judgements"]
            self.values[left] = sum(worth * given.count(each) for each, worth in WORTH.items())
        return self.values[left]

    async def solved(self, breadth: int) -> tuple[bool, bool, int, float]:
        """Return whether any answer is right, whether the first is, the calls and US dollars."""
        beam = [Kept((), self.puzzle)]
        for _ in range(3):
            scored = [(await self.value(each.left), each) for each in await self.after(beam)]
            scored.sort(key=lambda pair: -pair[0])
            beam = [each for _, each in scored[:breadth]]
        right = [each.left == "24" and await self.right(each) for each in beam]
        return any(right), right[:1] == [True], len(self.costs), fsum(self.costs)

    async def after(self, beam: list[Kept]) -> list[Kept]:
        """Return all that is proposed from the states kept."""
        found = []
        for steps, left in beam:
            variables = {"puzzle": self.puzzle, "steps": list(steps), "numbers": left}
            said = await self.told("propose", **variables)
            found += [Kept((*steps, each["step"]), each["left"]) for each in said["proposals"]]
        return found

    async def right(self, kept: Kept) -> bool:
        """Have the answer written, and check it."""
        said = await self.told("answer", puzzle=self.puzzle, steps=list(kept.steps))
        return solves(said["answer"], [int(each) for each in self.puzzle.split()])
