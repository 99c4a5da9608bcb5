"""The product's gate: the mode `reflection`, run by the engine with an observed model.

Its nodes need an engine, because each call is recorded before its reply is used. Every row
therefore runs the real tool on a temporary embedded database.
"""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

from reasonloom.compose import open_engine
from reasonloom.contracts.reasoning.reflection import ReasoningReflection
from reasonloom.evals.engine import call_tool, temporary_database
from reasonloom.evals.simulated.conversation import passages, words
from reasonloom.evals.simulated.critique import (
    Change,
    Marks,
    SimulatedCritic,
    change,
    is_right,
    marks,
)
from reasonloom.evals.simulated.critique_problems import Case
from reasonloom.evals.suites.reasoning.orchestration.catalog import Problem, Result
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Ask, LanguageModel, Reply, Usage

T = TypeVar("T")


class ObservedModel:
    """Forwards calls to a language model and scores its criticisms; used for one answer only."""

    offline = False

    def __init__(self, llm: LanguageModel) -> None:
        self._llm = llm
        self.name = llm.name
        self.usages: list[Usage] = []
        self.marks: list[Marks] = []

    async def answer(self, ask: Ask) -> Reply:
        """Return the language model's reply."""
        reply = await self._llm.answer(ask)
        self.usages.append(reply.usage)
        parsed = reply.parsed or {}
        if "weaknesses" in parsed:
            criticised = passages(words(ask.messages)[1])["answer"]
            self.marks.append(_known(marks(criticised, parsed["weaknesses"])))
        return reply

    async def close(self) -> None:
        """Close nothing."""

    def result(self, item: Problem, answer: str) -> Result:
        """Return whether the final answer is right, with the cost and the counts of defects.

        `found`, `missed` and `false_alarms` are summed over all criticisms; `repaired` counts
        defects that only the draft has, `broken` those that only the final answer has.
        """
        problem = json.loads(item.problem)
        changed: Change = _known(change(problem["draft"], answer))
        return Result(
            score=float(is_right(problem["question"], answer)),
            calls=len(self.usages),
            tokens_in=sum(usage.tokens_in for usage in self.usages),
            tokens_out=sum(usage.tokens_out for usage in self.usages),
            usd=sum(usage.cost_usd or 0.0 for usage in self.usages),
            also={
                "found": sum(each.found for each in self.marks),
                "missed": sum(each.missed for each in self.marks),
                "false_alarms": sum(each.false_alarms for each in self.marks),
                "repaired": changed.repaired,
                "broken": changed.broken,
            },
        )


def _known(found: T | None) -> T:
    if found is None:
        raise RuntimeError("an answer cannot be read: it is none that the critic knows")
    return found


OWNER = "critique"
TOOL = "reasoning_reflection"


@dataclass(slots=True, eq=False)
class SharedEngine:
    """The engine that all gated rows share, one at a time; available while `opened`."""

    engine: Engine | None = None

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Open an engine on its own database; memory is off, because no call uses it."""
        async with (
            temporary_database(user=OWNER, auto_memory=False, decay_hours=0) as (settings, access),
            open_engine(settings, access=access, recover=False) as engine,
        ):
            self.engine = engine
            try:
                yield
            finally:
                self.engine = None


@dataclass(frozen=True, slots=True)
class GatedReflection:
    """Reflects on drafts, gated by a blind judge that prefers the worse answer at `judge_error`.

    The mode stops before `rounds` iterations if it finds nothing to improve.
    """

    case: Case
    rounds: int
    judge_error: float
    shop: SharedEngine

    async def run(self, item: Problem, seed: int) -> Result:
        """Return the result of the mode for a draft."""
        if self.shop.engine is None:
            raise RuntimeError("the row is not opened")
        critic = SimulatedCritic(self.case, seed, judge_error=self.judge_error)
        witness, engine = ObservedModel(critic), self.shop.engine
        # Safe, because a call uses the loom set at its start and no other call runs meanwhile.
        engine.loom = replace(engine.loom, llm=witness)
        given = {"content": json.loads(item.problem)["draft"], "max_iterations": self.rounds}
        answer = await call_tool(
            engine, OWNER, TOOL, ReasoningReflection, given, graph="reflection"
        )
        if answer.get("partial"):
            raise RuntimeError(f"the reflection stopped because of {answer['stopped_because']}")
        return witness.result(item, answer["improved_reasoning"])
