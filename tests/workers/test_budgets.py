"""Budgets of an eval on workers: items begin while the budget lasts, and those begun end."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from reasonloom.evals.core.budget import Budget, BudgetReached, Spending
from reasonloom.evals.core.llm_calls import Attempt
from reasonloom.evals.core.run import RunResult, run
from reasonloom.evals.core.system import Purse, System
from reasonloom.llm.interfaces import Usage
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from reasonloom.workers.item_budget import ItemBudget
from reasonloom.workers.spread import Spread
from tests.support.evals.suites import Echo, asking
from tests.workers.test_evals import local_worker, summaries, ways, with_prompt

ITEMS = 6


async def test_the_first_item_is_answered_alone_and_then_as_many_as_the_rest_covers() -> None:
    budget, now = ItemBudget(Spending(Budget(calls=10))), 0
    begun: list[int] = []

    async def answer() -> None:
        nonlocal now
        async with budget.item() as book:
            now += 1
            begun.append(now)
            await asyncio.sleep(0.01)
            now -= 1
            attempt = Attempt(0, 0, usages=[Usage(1, 1)] * 2)
            book(attempt, {})

    ends = await asyncio.gather(*(answer() for _ in range(9)), return_exceptions=True)
    assert begun == [1, 1, 2, 3, 4]  # four others fit into the eight calls that the first left
    assert budget.spending.calls == 10
    assert [type(each) for each in ends] == [type(None)] * 5 + [BudgetReached] * 4


async def test_the_whole_usage_of_an_item_that_was_taken_over_counts() -> None:
    spending = Spending(Budget(tokens=100))
    async with ItemBudget(spending).item() as book:
        whole = {"calls": 3, "tokens_in": 60, "tokens_out": 40, "usd": 0.5}
        book(Attempt(0, 0, usages=[Usage(1, 1, 0.1)]), whole)
    assert (spending.calls, spending.tokens, spending.usd) == (3, 100, 0.5)
    with pytest.raises(BudgetReached, match="budget of 100 tokens is used up"):
        async with ItemBudget(spending).item():
            pass


@pytest.fixture
def prompted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings with a prompt, which workers of this process have as well."""
    monkeypatch.setenv("REASONLOOM_PROMPTS", str(tmp_path / "prompts"))
    return with_prompt(tmp_path / "prompts")


async def evaluate(
    access: Access, log: Path, settings: Settings, llm: Echo, **limits: Any
) -> RunResult:
    """Run the suite on a worker of this process."""
    purse = Purse(Budget(**limits))
    system = System(Spread(asking(), spending=purse.spending), llm=llm)
    async with local_worker(access, llm):
        return await run(
            ways(ITEMS), system, log=log, access=access, settings=settings, purse=purse
        )


async def test_a_budget_that_lasts_changes_nothing(
    access: Access, tmp_path: Path, prompted: Settings
) -> None:
    limits: dict[str, Any] = {"calls": ITEMS, "tokens": 100_000, "usd": 1.0}
    one = await run(
        ways(ITEMS), System(asking(), llm=Echo()), log=tmp_path / "one.jsonl", access=access,
        settings=prompted, purse=Purse(Budget(**limits)),
    )  # fmt: skip
    two = await evaluate(access, tmp_path / "two.jsonl", prompted, Echo(), **limits)
    assert (one.stopped, two.stopped) == ("", "")
    assert summaries(two.log) == summaries(one.log)


async def test_a_budget_ends_the_run_and_a_later_one_goes_on(
    access: Access, tmp_path: Path, prompted: Settings
) -> None:
    log, llm = tmp_path / "run.jsonl", Echo()
    ran = await evaluate(access, log, prompted, llm, calls=2)
    assert (len(ran.log.records), len(llm.asked)) == (2, 2)
    assert ran.stopped == (
        "the budget of 2 calls is used up (2); what workers had begun was finished"
    )
    ran = await evaluate(access, log, prompted, llm, tokens=40)  # an item takes 15
    assert (len(ran.log.records), len(llm.asked)) == (5, 5)
    assert "the budget of 40 tokens is used up (45)" in ran.notes()[0]
    ran = await evaluate(access, log, prompted, llm)
    assert (len(ran.log.records), ran.stopped) == (ITEMS, "")


async def test_a_budget_in_usd_needs_a_known_price(
    access: Access, tmp_path: Path, prompted: Settings
) -> None:
    ran = await evaluate(access, tmp_path / "run.jsonl", prompted, Echo(usd=None), usd=1.0)
    assert "price of this language model is unknown" in ran.stopped
    assert len(ran.log.records) == 1
