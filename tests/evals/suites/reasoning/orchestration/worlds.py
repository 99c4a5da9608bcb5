"""Evals on a few problems, and ways to carry a plan out that differ in order and haste alone."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reasonloom.evals.suites.reasoning.orchestration.catalog import (
    Choices,
    Orchestration,
    Problem,
    Result,
    Row,
)
from reasonloom.llm.interfaces import Ask, LanguageModel, Reply


def chosen(items: int, **settings: str) -> Choices:
    """Return choices of an eval's own problems."""
    return Choices(items=items, settings=settings)


def row(suite: Orchestration, name: str, choices: Choices) -> Row:
    """Return a row of an eval by its name."""
    return next(each for each in suite.rows(choices) if each.name == name)


async def results(
    suite: Orchestration, name: str, choices: Choices, seeds: Sequence[int] = (0,)
) -> list[Result]:
    """Return what a row makes of each item with each seed."""
    items, _ = suite.load(choices)
    one = row(suite, name, choices)
    return [await one.run(item, seed) for item in items for seed in seeds]


def first(suite: Orchestration, choices: Choices) -> Problem:
    """Return an eval's first problem."""
    return suite.load(choices)[0][0]


@dataclass
class Late:
    """A language model that lets others overtake: its answers come in an order drawn by lot."""

    llm: LanguageModel
    seed: int
    name: str = "late"
    offline: bool = False

    def __post_init__(self) -> None:
        self.lot = random.Random(self.seed)  # noqa: S311 - a test, not a secret

    async def answer(self, ask: Ask) -> Reply:
        """Answer after a few turns of the others."""
        for _ in range(self.lot.randrange(20)):
            await asyncio.sleep(0)
        return await self.llm.answer(ask)

    async def close(self) -> None:
        """Do nothing."""


def without_cost(result: Result) -> tuple[float, dict[str, Any]]:
    """Return what a row made of an item, without its bill."""
    return result.score, result.also
