"""The eval `sim-game24`: its puzzles, rows, and published figures."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from reasonloom.evals.simulated.datasets import require_between
from reasonloom.evals.simulated.draw import chance
from reasonloom.evals.simulated.game24.check import solves
from reasonloom.evals.simulated.game24.constants import PUBLISHED, Constants, blind
from reasonloom.evals.simulated.game24.model import Game24Model
from reasonloom.evals.simulated.game24.puzzles import (
    PUBLISHED_RANKS,
    generate_puzzles,
    load_puzzles,
)
from reasonloom.evals.suites.reasoning.orchestration.catalog import (
    Choices,
    Orchestration,
    Problem,
    Result,
    Row,
    Status,
    integer_setting,
    problems_digest,
    require_known_settings,
)
from reasonloom.evals.suites.reasoning.orchestration.game24_search import (
    Search,
    ThoughtRunner,
    any_right,
    first_right,
    run_search,
    searches,
)
from reasonloom.evals.suites.reasoning.orchestration.metering import MeteredModel
from reasonloom.llm.interfaces import LanguageModel
from reasonloom.nodes.reasoning.tree_search.state import State

Kind = Literal["chain", "direct"]

SAMPLES_PER_CALL = 20
"""Samples per call in the published runs; they share the price of the question."""


async def best_of(meter: MeteredModel, puzzle: str, kind: Kind, samples: int) -> Result:
    """Return 1 if any sample is right; `mean` is the share of right samples."""
    right = 0
    for first in range(0, samples, SAMPLES_PER_CALL):
        right += await _right(meter, puzzle, kind, first, min(SAMPLES_PER_CALL, samples - first))
    return meter.result(float(right > 0), mean=right / samples)


async def as_many_as(meter: MeteredModel, puzzle: str, kind: Kind, usd: float) -> Result:
    """Return 1 if any sample bought for `usd` is right; the last call may exceed the budget."""
    right, samples = 0, 0
    while meter.usd < usd:
        right += await _right(meter, puzzle, kind, samples, SAMPLES_PER_CALL)
        samples += SAMPLES_PER_CALL
    return meter.result(float(right > 0), samples=float(samples))


async def _right(meter: MeteredModel, puzzle: str, kind: Kind, first: int, count: int) -> int:
    """Return how many of `count` samples, numbered from `first`, are right."""
    reply = await meter.ask(f"game24/{kind}", sample=first, puzzle=puzzle, attempts=count)
    numbers = [int(each) for each in puzzle.split()]
    if kind == "direct":
        return sum(solves(answer, numbers) for answer in reply["answers"])
    return sum(solves(each["answer"], numbers) for each in reply["solutions"])


ITEMS = len(PUBLISHED_RANKS)

CALLS = 120
CONCURRENCY = 4

DESCRIPTIONS: dict[str, tuple[Status, str]] = {
    "direct": ("fitted", "7.3 %"),
    "direct-100": ("fitted", "33 %, $0.13"),
    "linear": ("fitted", "4.0 %"),
    "linear-10": ("predicted", "21.5 % (logs)"),
    "linear-100": ("fitted", "49 %, $0.32 (logs)"),
    "tree-1": ("predicted", "45 %"),
    "tree-5": ("predicted", "74 %, logs 69 %, $0.74"),
    "tree-5-first": ("predicted", "62 % (logs)"),
    "tree-5-blind": ("control", ""),
    "tree-5-by-lot": ("control", ""),
    "linear-as-blind": ("control", ""),
    "best-first-blind": ("control", ""),
}
"""Status of the rows, with published figures for the puzzles ranked 901 to 1000."""


@dataclass(frozen=True, slots=True)
class Table:
    """Answers items in the way of each row.

    `calls` bounds searches with backtracking; `llm` creates the model for a seed and constants.
    """

    llm: Callable[[int, Constants], LanguageModel] = Game24Model
    calls: int = CALLS
    concurrency: int = CONCURRENCY

    def ways(self) -> dict[str, Callable[[Problem, int], Awaitable[Result]]]:
        """Return each row's function of an item and a seed, by row name."""
        blinded = blind(PUBLISHED)
        known = searches(self.calls)
        return {
            "direct": partial(self.sample, "direct", 1),
            "direct-100": partial(self.sample, "direct", 100),
            "linear": partial(self.sample, "chain", 1),
            "linear-10": partial(self.sample, "chain", 10),
            "linear-100": partial(self.sample, "chain", 100),
            "tree-1": partial(self.search, known["tree-1"]),
            "tree-5": partial(self.search, known["tree-5"]),
            "tree-5-first": partial(self.search, known["tree-5"], read=first_right),
            **{
                name: partial(self.search, known[name])
                for name in known
                if name not in ("tree-1", "tree-5")
            },
            "tree-5-blind": partial(self.search, known["tree-5"], constants=blinded),
            "tree-5-by-lot": self.by_lot,
            "linear-as-blind": self.as_blind,
            "best-first-blind": partial(self.search, known["best-first"], constants=blinded),
        }

    async def sample(self, kind: Kind, samples: int, item: Problem, seed: int) -> Result:
        """Sample whole solutions."""
        return await best_of(self._meter(seed, PUBLISHED), item.problem, kind, samples)

    async def search(
        self,
        search: Search,
        item: Problem,
        seed: int,
        *,
        read: Callable[[MeteredModel, State], Result] = any_right,
        constants: Constants = PUBLISHED,
    ) -> Result:
        """Search a tree."""
        meter = self._meter(seed, constants)
        carrier = ThoughtRunner(meter, item.problem, search.judged, checked=search.checked)
        return read(meter, await run_search(carrier, search.settings, self.concurrency))

    async def by_lot(self, item: Problem, seed: int) -> Result:
        """Search like `tree-5`, but with random values instead of a judge."""
        meter, puzzle = self._meter(seed, PUBLISHED), item.problem
        carrier = ThoughtRunner(
            meter, puzzle, judged=(), worth=lambda left: chance(seed, puzzle, "lot", left)
        )
        settings = searches(self.calls)["tree-5"].settings
        return any_right(meter, await run_search(carrier, settings, self.concurrency))

    async def as_blind(self, item: Problem, seed: int) -> Result:
        """Sample as many chains as the blind tree costs on this item and seed."""
        tree = searches(self.calls)["tree-5"]
        spent = (await self.search(tree, item, seed, constants=blind(PUBLISHED))).usd
        return await as_many_as(self._meter(seed, PUBLISHED), item.problem, "chain", spent)

    def _meter(self, seed: int, constants: Constants) -> MeteredModel:
        return MeteredModel(self.llm(seed, constants))


def items(choices: Choices) -> tuple[Sequence[Problem], str]:
    """Return puzzles from rank 901 of the public file, or generated ones, and their digest."""
    count = ITEMS if choices.items is None else choices.items
    if choices.data:
        require_between("items", count, 1, ITEMS)
        found = load_puzzles(choices.data)[:count]
    else:
        found = generate_puzzles(count)
    problems = [Problem(str(puzzle.rank), str(puzzle)) for puzzle in found]
    return problems, problems_digest(problems)


def rows(choices: Choices) -> Sequence[Row]:
    """Return the rows, with published figures if a data file is used."""
    require_known_settings(choices, ("calls", "concurrency"))
    table = Table(
        calls=integer_setting(choices, "calls", CALLS, most=10_000),
        concurrency=integer_setting(choices, "concurrency", CONCURRENCY, most=100),
    )
    return [_row(name, run, choices) for name, run in table.ways().items()]


def _row(name: str, run: Callable[[Problem, int], Awaitable[Result]], choices: Choices) -> Row:
    status, published = DESCRIPTIONS.get(name, ("own", ""))
    if choices.data is None and status != "control":
        status, published = "own", ""
    return Row(name, run, published, status)


GAME24_EVAL = Orchestration(
    name="sim-game24",
    measure="share of puzzles solved",
    better="higher",
    load=items,
    rows=rows,
    share=True,
    compared=(
        ("tree-5", "linear-100"),
        ("tree-5", "linear-as-blind"),
        ("best-first", "tree-5"),
        ("best-first", "ceiling"),
        ("best-first", "best-first-unjudged"),
        ("best-first", "best-first-blind"),
        ("tree-5-blind", "tree-5"),
        ("tree-5-blind", "tree-5-by-lot"),
        ("tree-5-blind", "linear"),
        ("tree-5-blind", "linear-as-blind"),
    ),
)
