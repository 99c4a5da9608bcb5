"""The eval `sim-critique`: revising answers with planted defects, with and without a gate.

The ungated loop is that of Huang et al. (ICLR 2024): criticise, revise, accept the revision. The
product has no such loop; here it is built from the prompts of `reflection`. The gated rows run the
mode `reflection` itself on a temporary embedded database: its nodes need an engine, because each
call is recorded before its reply is used.
"""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, TypeVar

from reasonloom.compose import open_engine
from reasonloom.contracts.reasoning.reflection import ReasoningReflection
from reasonloom.errors import InvalidArgument
from reasonloom.evals.engine import call_tool, temporary_database
from reasonloom.evals.simulated.conversation import passages, words
from reasonloom.evals.simulated.critique import Marks, SimulatedCritic, change, is_right, marks
from reasonloom.evals.simulated.critique_problems import CASES, JUDGE_ERROR, Case, generate_critique
from reasonloom.evals.suites.reasoning.orchestration.catalog import (
    Choices,
    Orchestration,
    Problem,
    Result,
    Row,
    Status,
    choice_setting,
    number_setting,
    problems_digest,
    require_known_settings,
)
from reasonloom.evals.suites.reasoning.orchestration.metering import MeteredModel
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Ask, LanguageModel, Reply, Usage

ITEMS = 200
SEED = 2024
ROUNDS = 2
COIN = 0.5
"""Error rate of a judge that is right half the time."""

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
        changed = _known(change(problem["draft"], answer))
        return MeteredModel(self, self.usages).result(
            float(is_right(problem["question"], answer)),
            found=sum(each.found for each in self.marks),
            missed=sum(each.missed for each in self.marks),
            false_alarms=sum(each.false_alarms for each in self.marks),
            repaired=changed.repaired,
            broken=changed.broken,
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


Stop = Literal["never", "right"]
LOOPS: dict[str, tuple[int, Stop, Status, Callable[[Case], float]]] = {
    "draft": (0, "never", "fitted", lambda case: case.start),
    "ungated-1": (1, "never", "fitted", lambda case: case.published[0]),
    "ungated-2": (2, "never", "predicted", lambda case: case.published[1]),
    "oracle-stop": (ROUNDS, "right", "fitted", lambda case: case.published[2]),
}
"""The ungated rows: rounds, when they stop, and the status of their published figure."""


async def run_ungated(case: Case, rounds: int, stop: Stop, item: Problem, seed: int) -> Result:
    """Return the result for a draft after `rounds` without a gate.

    With `stop="right"` an oracle ends the loop once the answer is right.
    """
    witness = ObservedModel(SimulatedCritic(case, seed))
    meter, problem = MeteredModel(witness), json.loads(item.problem)
    answer = problem["draft"]
    for round_ in range(rounds):
        if stop == "right" and is_right(problem["question"], answer):
            break
        answer = await revise_once(meter, answer, round_)
    return witness.result(item, answer)


UNCHECKED = {"failed": None, "contradicted": None, "executes": False}
"""Prompt variables for the checks that this simulation omits."""


async def revise_once(meter: MeteredModel, answer: str, round_: int) -> str:
    """Criticise, then revise, as `reflection` does; rounds count from 0.

    The round is the sample number, so a round after one that changed nothing gets another answer.
    """
    same: dict[str, object] = {
        "question": "",
        "history": [],
        "memories": [],
        "searched": None,
        "focus_areas": [],
        "content": answer,
    }
    critique = await meter.ask("reflection/critique", sample=round_, **same)
    findings = {name: critique[name] for name in ("weaknesses", "recommendations")}
    revision = await meter.ask("reflection/revise", sample=round_, **UNCHECKED, **same, **findings)
    return str(revision["revision"])


def items(choices: Choices) -> tuple[Sequence[Problem], str]:
    """Return questions with drafts, with the case's share of right ones, and their digest."""
    if choices.data:
        raise InvalidArgument("data: sim-critique draws its own problems", field="data")
    count = ITEMS if choices.items is None else choices.items
    problems = [
        Problem(each.id, json.dumps({"question": each.question, "draft": each.draft}))
        for each in generate_critique(_case(choices), count, SEED)
    ]
    return problems, problems_digest(problems)


def rows(choices: Choices) -> Sequence[Row]:
    """Return the rows for a case; the setting `judge_error` is the gate's error rate."""
    require_known_settings(choices, ("case", "judge_error"))
    case, error = _case(choices), number_setting(choices, "judge_error", JUDGE_ERROR, most=1)
    shop = SharedEngine()
    gates: dict[str, tuple[Status, GatedReflection]] = {
        "gated-1": ("own", GatedReflection(case, 1, error, shop)),
        "gated-2": ("own", GatedReflection(case, ROUNDS, error, shop)),
        "gated-oracle": ("own", GatedReflection(case, ROUNDS, 0.0, shop)),
        "gated-coin": ("control", GatedReflection(case, ROUNDS, COIN, shop)),
    }
    return [
        *(
            Row(name, partial(run_ungated, case, rounds, stop), f"{100 * of(case):.1f} %", status)
            for name, (rounds, stop, status, of) in LOOPS.items()
        ),
        *(
            Row(name, gate.run, status=status, opened=shop.opened)
            for name, (status, gate) in gates.items()
        ),
    ]


def _case(choices: Choices) -> Case:
    return CASES[choice_setting(choices, "case", tuple(CASES))]


CRITIQUE_EVAL = Orchestration(
    name="sim-critique",
    measure="share of answers right",
    better="higher",
    load=items,
    rows=rows,
    share=True,
    counted=("found", "missed", "false_alarms", "repaired", "broken"),
    compared=(
        ("ungated-1", "draft"),
        ("ungated-2", "draft"),
        ("gated-1", "draft"),
        ("gated-2", "draft"),
        ("gated-oracle", "draft"),
        ("gated-coin", "draft"),
        ("gated-2", "ungated-2"),
        ("gated-2", "gated-coin"),
        ("gated-2", "oracle-stop"),
    ),
)
