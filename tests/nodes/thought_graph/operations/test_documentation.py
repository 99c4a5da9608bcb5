"""The page of plans says what there is, and what it shows runs."""

from __future__ import annotations

import json
import re
from typing import Any, get_args

import pytest

from reasonloom.contracts.thought_graph import plans
from reasonloom.contracts.thought_graph.plans import Condition, Limits, Operation, Plan
from reasonloom.contracts.thought_graph.tools import Check
from reasonloom.evals.simulated.sorting import SimulatedSorter
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.thought_graph.operations.plans import packaged_plan, plan_names
from reasonloom.nodes.thought_graph.operations.tasks import TASKS
from reasonloom.stores.access import Access
from tests import ROOT
from tests.support.reasoning.sessions import answered, thinking

PAGE = (ROOT / "docs" / "plans.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))
KINDS = get_args(get_args(plans.AnyOperation)[0])
SHARED = set(Operation.model_fields) | {"do"}


def rows(section: str) -> dict[str, str]:
    """Return the rows of a section's tables by each name in their first cell."""
    found: dict[str, str] = {}
    for first, rest in re.findall(r"^\| ([^|]+) \|(.*)\|$", section, re.M):
        found |= dict.fromkeys(re.findall(r"`([^`]+)`", first), rest)
    return found


def named(text: str) -> set[str]:
    return set(re.findall(r"`([a-z_]+)`", text))


def test_every_operation_is_there_with_its_fields() -> None:
    told = rows(SECTIONS["Operations"])
    fields = {
        get_args(kind.model_fields["do"].annotation)[0]: set(kind.model_fields) - SHARED
        for kind in KINDS
    }
    assert set(told) == set(fields)
    for name, known in fields.items():
        assert named(told[name].rsplit("|", 1)[-1]) == known
    assert {f"`{each}`" for each in Operation.model_fields} <= set(
        re.findall(r"`[a-z_]+`", SECTIONS["Operations"])
    )


@pytest.mark.parametrize(("section", "contract"), [("Conditions", Condition), ("Limits", Limits)])
def test_every_condition_and_limit_is_there(section: str, contract: Any) -> None:
    assert set(rows(SECTIONS[section])) == set(contract.model_fields)


def test_every_kind_of_check_and_every_task_is_there() -> None:
    told = rows(SECTIONS["Checks, and what is printed next to a score"])
    assert set(get_args(Check)) | set(TASKS) == set(told)
    for name, task in TASKS.items():
        _, moves, checks = told[name].rsplit("|", 2)
        assert named(moves) == set(task.moves)
        assert named(checks) == (set(task.checks) or {"judge"})


def test_every_packaged_plan_is_there_with_its_task() -> None:
    told = rows(SECTIONS["Packaged plans"])
    assert set(told) == set(plan_names())
    for name, rest in told.items():
        assert rest.split("|")[0].strip() == packaged_plan(name).task


def test_the_program_on_the_page_runs() -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)
    exec(compile(block, "docs/plans.md", "exec"), {})  # noqa: S102 - our own page


async def test_the_plan_on_the_page_runs(access: Access, embedder: Embedder) -> None:
    (block,) = re.findall(r"^```json\n(.*?)^```$", PAGE, re.M | re.S)
    plan = json.loads(block)
    assert set(plan) == set(Plan.model_fields)
    problem = json.dumps([7, 3, 9, 0, 3] * 8)
    async with thinking(access, embedder, SimulatedSorter(1)) as mind:
        ran = await answered(mind, "got_run", problem=problem, plan=plan)
    assert (ran["check"], ran["calls"]) == ("local check", 4)
    assert ran["whole"] is True
