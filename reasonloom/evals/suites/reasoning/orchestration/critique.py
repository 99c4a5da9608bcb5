"""The eval `sim-critique`: revising answers with planted defects, with and without a gate.

The ungated loop is that of Huang et al. (ICLR 2024): criticise, revise, accept the revision. The
product has no such loop; here it is built from the prompts of `reflection`. The gated rows run the
mode `reflection` itself, see `critique_gate`.
"""

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

from reasonloom.errors import InvalidArgument
from reasonloom.evals.simulated.critique import SimulatedCritic, is_right
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
from reasonloom.evals.suites.reasoning.orchestration.critique_gate import (
    GatedReflection,
    ObservedModel,
    SharedEngine,
)
from reasonloom.evals.suites.reasoning.orchestration.metering import MeteredModel
from reasonloom.prompts.registry import PromptRegistry

ITEMS = 200
SEED = 2024
ROUNDS = 2
COIN = 0.5
"""Error rate of a judge that is right half the time."""

PROMPTS = PromptRegistry()


DESCRIPTIONS: dict[str, tuple[Status, Callable[[Case], float]]] = {
    "draft": ("fitted", lambda case: case.start),
    "ungated-1": ("fitted", lambda case: case.published[0]),
    "ungated-2": ("predicted", lambda case: case.published[1]),
    "oracle-stop": ("fitted", lambda case: case.published[2]),
}
"""Status and published figure of the rows that have one."""

Stop = Literal["never", "right"]


async def run_ungated(case: Case, rounds: int, stop: Stop, item: Problem, seed: int) -> Result:
    """Return the result for a draft after `rounds` without a gate.

    With `stop="right"` an oracle ends the loop once the answer is right.
    """
    witness = ObservedModel(SimulatedCritic(case, seed))
    meter, problem = MeteredModel(witness, PROMPTS), json.loads(item.problem)
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
    loops: dict[str, tuple[int, Stop]] = {
        "draft": (0, "never"),
        "ungated-1": (1, "never"),
        "ungated-2": (2, "never"),
        "oracle-stop": (ROUNDS, "right"),
    }
    shop = SharedEngine()
    gates = {
        "gated-1": GatedReflection(case, 1, error, shop),
        "gated-2": GatedReflection(case, ROUNDS, error, shop),
        "gated-oracle": GatedReflection(case, ROUNDS, 0.0, shop),
        "gated-coin": GatedReflection(case, ROUNDS, COIN, shop),
    }
    return [
        *(_looping(name, case, *how) for name, how in loops.items()),
        *(_gating(name, gate) for name, gate in gates.items()),
    ]


def _case(choices: Choices) -> Case:
    return CASES[choice_setting(choices, "case", tuple(CASES))]


def _looping(name: str, case: Case, rounds: int, stop: Stop) -> Row:
    status, published = DESCRIPTIONS[name]
    figure = f"{100 * published(case):.1f} %"
    return Row(name, partial(run_ungated, case, rounds, stop), figure, status)


def _gating(name: str, gate: GatedReflection) -> Row:
    status: Status = "control" if name == "gated-coin" else "own"
    return Row(name, gate.run, status=status, opened=gate.shop.opened)


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
