"""The gate as it is in the product: the mode `reflection`, run by the engine on a database.

Its nodes cannot be had without one: each call is recorded before it is used. So every row runs
the tool as it is, on a fresh embedded database that is thrown away after.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reasonloom.compose import open_engine
from reasonloom.contracts.reasoning.reflection import ReasoningReflection
from reasonloom.evals.engine import called
from reasonloom.evals.home import throw_away_database
from reasonloom.evals.simulated.constants import Case
from reasonloom.evals.simulated.critique import SimulatedCritic
from reasonloom.evals.suites.reasoning.orchestration.catalog import Item, Result
from reasonloom.evals.suites.reasoning.orchestration.critique_witness import Witness

if TYPE_CHECKING:
    from reasonloom.graphs.runs.engine import Engine

OWNER = "critique"
TOOL = "reasoning_reflection"


@dataclass(slots=True, eq=False)
class Workshop:
    """The engine that all gates work with, one after the other; there while `opened`."""

    engine: Engine | None = None

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Hold an engine on a database of its own; memories are off, as no call is about them."""
        async with (
            throw_away_database(user=OWNER, auto_memory=False, decay_hours=0) as (settings, access),
            open_engine(settings, access=access, recover=False) as engine,
        ):
            self.engine = engine
            try:
                yield
            finally:
                self.engine = None


@dataclass(frozen=True, slots=True)
class Gated:
    """Reflects on drafts with a blind judge as the gate.

    Attributes:
        case: whose rates the critic has.
        rounds: how many the mode may make; it stops before where it finds nothing to do.
        judge_error: how often the judge prefers the worse of two answers.
        shop: where the mode runs.
    """

    case: Case
    rounds: int
    judge_error: float
    shop: Workshop

    async def run(self, item: Item, seed: int) -> Result:
        """Return what the mode makes of a draft.

        Raises:
            RuntimeError: no engine is open, or a call of the mode came to nothing.
        """
        if self.shop.engine is None:
            raise RuntimeError("the row is not opened")
        critic = SimulatedCritic(self.case, seed, judge_error=self.judge_error)
        witness, engine = Witness(critic), self.shop.engine
        # A call takes the loom as it stands when it begins; nothing else runs in between.
        engine.loom = replace(engine.loom, llm=witness)
        given = {"content": json.loads(item.problem)["draft"], "max_iterations": self.rounds}
        answer = await called(engine, OWNER, TOOL, ReasoningReflection, given, graph="reflection")
        if answer.get("partial"):
            raise RuntimeError(f"the reflection stopped because of {answer['stopped_because']}")
        return witness.result(item, answer["improved_reasoning"])
