"""The budget of a run: calls at once keep to it together, and what must follow is put aside."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from reasonloom.errors import BudgetExceeded, LlmUnavailable
from reasonloom.graphs.runs.call import Outcome
from reasonloom.llm.interfaces import Ask, Embedder, Reply, Usage
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.llms.billing import BillingLlm
from tests.support.reasoning.sessions import stored_rows, thinking

OUT = 300
"""Tokens that an answer may have in these tests."""

TREE: dict[str, Any] = {"content": "Where shall the footbridge go?", "max_branches": 6}
DIVERGENT: dict[str, Any] = {
    "content": "How can the library stay open?",
    "num_perspectives": 5,
    "constraints": ["It must stay free."],
}
BUDGETS = (900, 1_700, 2_500, 3_500, 4_500, 6_000, 8_000, 12_000)


async def spent(
    access: Access, embedder: Embedder, llm: BillingLlm, request: dict[str, Any], **limits: Any
) -> Outcome | None:
    """Return what came of one call within the limits, None where they forbid an answer."""
    tool = "reasoning_tree" if "max_branches" in request else "reasoning_divergent"
    async with thinking(access, embedder, llm, output_tokens=OUT, **limits) as mind:
        before = stored_rows(access)
        try:
            return await call(mind, tool, request)
        except BudgetExceeded:
            assert stored_rows(access) == before
            return None


@pytest.mark.parametrize("out", [OUT, 40])
@pytest.mark.parametrize("budget", BUDGETS)
async def test_a_tree_keeps_to_its_tokens_and_ends_judged(
    access: Access, embedder: Embedder, budget: int, out: int
) -> None:
    llm = BillingLlm(out=out)
    outcome = await spent(access, embedder, llm, TREE, budget_tokens=budget)
    assert llm.tokens <= budget
    if outcome is None:
        assert budget <= 1_700
        return
    answer = outcome.answer
    assert answer["branches_explored"] == llm.count("thought")
    if answer["branches_explored"] > 2:
        assert answer["ballots"] >= 1
        assert {each["check"] for each in answer["branches"]} == {"blind_ballots"}
    else:
        assert answer["partial"] is True
    if answer["branches_explored"] < 6 or answer["ballots"] < 3:
        assert (answer["exhausted"], answer["partial"]) == ("tokens", True)
        assert any("budget" in note for note in outcome.notes)


@pytest.mark.parametrize("out", [OUT, 40])
@pytest.mark.parametrize("budget", BUDGETS)
async def test_divergent_keeps_to_its_tokens_and_ends_brought_together(
    access: Access, embedder: Embedder, budget: int, out: int
) -> None:
    llm = BillingLlm(out=out)
    outcome = await spent(access, embedder, llm, DIVERGENT, budget_tokens=budget)
    assert llm.tokens <= budget
    if outcome is None:
        assert budget < 1_700
        return
    seen = len(outcome.answer["perspectives"])
    if seen > 1:
        assert llm.count("synthesis") == 1
    if seen < 5 or not llm.count("synthesis"):
        assert outcome.answer["partial"] is True
        assert any(f"budget of {budget} tokens" in note for note in outcome.notes)


@pytest.mark.parametrize("request_", [TREE, DIVERGENT], ids=["tree", "divergent"])
@pytest.mark.parametrize("budget", [0.05, 0.1, 0.2, 0.4])
async def test_money_is_held_by_the_prices_that_the_provider_tells(
    access: Access, embedder: Embedder, budget: float, request_: dict[str, Any]
) -> None:
    llm = BillingLlm(out=OUT, token_in=0.00001, token_out=0.0001)
    await spent(access, embedder, llm, request_, budget_usd=budget)
    assert 0 < llm.usd <= budget


async def test_without_prices_a_call_is_held_at_what_the_dearest_one_has_cost(
    access: Access, embedder: Embedder
) -> None:
    llm = BillingLlm(out=OUT, token_out=0.0001, told=False)
    outcome = await spent(access, embedder, llm, TREE, budget_usd=0.151)
    assert outcome
    assert llm.usd == pytest.approx(0.15)
    assert outcome.answer["exhausted"] == "usd"


async def test_calls_that_do_not_fit_together_wait_for_each_other(
    access: Access, embedder: Embedder
) -> None:
    """All would fit by what they take in the end; at once only some by what they may take."""
    llm = BillingLlm(out=20)
    outcome = await spent(access, embedder, llm, TREE, budget_tokens=6_500)
    assert outcome
    assert outcome.answer["branches_explored"] == 6
    assert 1 < llm.most < 6
    wide = BillingLlm(out=20)
    await spent(access, embedder, wide, TREE)
    assert wide.most == 6


async def test_a_call_that_fails_gives_back_what_was_held_for_it(
    access: Access, embedder: Embedder
) -> None:
    class Failing(BillingLlm):
        failed = 0

        async def answer(self, ask: Ask) -> Reply:
            if "thought" in (ask.schema or {})["required"] and self.failed < 3:
                self.failed += 1
                raise LlmUnavailable("away")
            return await super().answer(ask)

    llm = Failing(out=20)
    outcome = await spent(access, embedder, llm, TREE, budget_tokens=6_500)
    assert outcome
    assert (outcome.answer["branches_explored"], outcome.answer["ballots"]) == (3, 5)
    assert "exhausted" not in outcome.answer


async def test_an_answer_that_is_longer_than_allowed_is_settled_as_it_is(
    access: Access, embedder: Embedder
) -> None:
    """A provider that takes no limit may pass the budget by one volley, and no further."""

    class Wordy(BillingLlm):
        async def answer(self, ask: Ask) -> Reply:
            reply = await super().answer(ask)
            return replace(reply, usage=Usage(reply.usage.tokens_in, 10 * OUT, 0.0))

    llm = Wordy(out=20)
    outcome = await spent(access, embedder, llm, TREE, budget_tokens=9_000)
    assert outcome
    assert outcome.answer["exhausted"] == "tokens"
    assert llm.count("scores") == 0
