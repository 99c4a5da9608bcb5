"""Tree reasoning where something does not come: it is marked, and the rest goes on."""

from __future__ import annotations

from typing import Any

import pytest

from reasonloom.errors import BudgetExceeded, LlmRefused, LlmUnavailable
from reasonloom.llm.interfaces import Embedder
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.llms.exploration import WORDS, ExploringLlm
from tests.support.reasoning.sessions import answered, stored_rows, thinking, whole

QUESTION = "What is it?"
AWAY = LlmUnavailable("not reached")


def names(answer: dict[str, Any]) -> list[str]:
    return [each["name"] for each in answer["branches"]]


async def test_a_branch_that_fails_is_marked_and_the_rest_goes_on(
    access: Access, embedder: Embedder
) -> None:
    async with thinking(access, embedder, ExploringLlm(broken={"violin": AWAY})) as mind:
        outcome = await call(mind, "reasoning_tree", {"content": QUESTION})
        stored = await whole(mind, outcome.answer["session_id"])
    answer = outcome.answer
    assert names(answer) == ["By harbour", "By granite", "By pepper"]
    assert answer["failed_branches"] == [{"name": "By violin", "reason": "not reached"}]
    assert (answer["branches_explored"], answer["partial"]) == (3, True)
    assert answer["confidence"] == pytest.approx(0.9)
    assert "1 of 4 approaches failed" in outcome.notes
    assert len(stored.branches) == 4


async def test_a_branch_that_takes_too_long_is_left_behind(
    access: Access, embedder: Embedder
) -> None:
    llm = ExploringLlm(slow={"harbour": 60.0})
    async with thinking(access, embedder, llm, tool_timeout=4) as mind:
        answer = await answered(mind, "tree", content=QUESTION)
    assert names(answer) == ["By violin", "By granite", "By pepper"]
    (failed,) = answer["failed_branches"]
    assert failed["reason"].startswith("no answer within")


async def test_one_branch_that_is_left_was_compared_with_nothing_and_says_so(
    access: Access, embedder: Embedder
) -> None:
    llm = ExploringLlm(broken={"harbour": AWAY})
    async with thinking(access, embedder, llm) as mind:
        answer = await answered(mind, "tree", content=QUESTION, max_branches=2)
    assert "judge" not in llm.asked
    (branch,) = answer["branches"]
    assert (branch["check"], branch["score"], answer["confidence"]) == ("self_reported", None, 0.5)
    assert answer["partial"] is True
    assert "nothing was compared" in answer["reason"]


@pytest.mark.parametrize("fault", [AWAY, LlmRefused("no credit")])
async def test_where_every_branch_fails_nothing_is_stored_and_the_key_can_try_again(
    access: Access, embedder: Embedder, fault: Exception
) -> None:
    llm = ExploringLlm(broken=dict.fromkeys(WORDS, fault))
    request = {"content": QUESTION}
    async with thinking(access, embedder, llm) as mind:
        before = stored_rows(access)
        for _ in range(2):
            with pytest.raises(type(fault), match=f"every branch failed: {fault}"):
                await call(mind, "reasoning_tree", request, key="k")
        assert stored_rows(access) == before
        assert [len(llm.asked[kind]) for kind in ("propose", "explore")] == [1, 8]
        llm.broken = {}
        answer = (await call(mind, "reasoning_tree", request, key="k")).answer
    assert answer["branches_explored"] == 4
    assert len(llm.asked["propose"]) == 1


async def test_a_proposal_that_fails_is_the_runs_failure(
    access: Access, embedder: Embedder
) -> None:
    async with thinking(access, embedder, ExploringLlm(broken={"propose": AWAY})) as mind:
        with pytest.raises(LlmUnavailable, match="not reached"):
            await answered(mind, "tree", content=QUESTION)
        assert stored_rows(access) == []


async def test_a_proposal_that_is_nonsense_leaves_each_branch_a_path_of_its_own(
    access: Access, embedder: Embedder
) -> None:
    async with thinking(access, embedder, ExploringLlm(broken={"propose": "Well."})) as mind:
        outcome = await call(mind, "reasoning_tree", {"content": QUESTION, "max_branches": 3})
    assert names(outcome.answer) == ["Path 1", "Path 2", "Path 3"]
    assert any("no approaches could be read" in note for note in outcome.notes)


@pytest.mark.parametrize("broken", [AWAY, "I like them all."])
async def test_ballots_that_come_to_nothing_leave_the_branches_unjudged(
    access: Access, embedder: Embedder, broken: Exception | str
) -> None:
    async with thinking(access, embedder, ExploringLlm(broken={"judge": broken})) as mind:
        outcome = await call(mind, "reasoning_tree", {"content": QUESTION})
    answer = outcome.answer
    assert {each["check"] for each in answer["branches"]} == {"self_reported"}
    assert (answer["confidence"], answer["ballots"], answer["partial"]) == (0.5, 0, True)
    assert any("not judged" in note for note in outcome.notes)
    assert "3 of 3 ballots failed" in outcome.notes


@pytest.mark.parametrize(
    ("limits", "limit", "explored", "ballots"),
    [
        ({"budget_calls": 3}, "calls", 2, 0),
        ({"budget_calls": 6}, "calls", 4, 1),
        ({"budget_tokens": 611, "output_tokens": 10}, "tokens", 2, 2),
        ({"budget_usd": 0.065}, "usd", 4, 1),
    ],
)
async def test_where_the_budget_runs_out_the_best_so_far_is_returned(
    access: Access,
    embedder: Embedder,
    limits: dict[str, Any],
    limit: str,
    explored: int,
    ballots: int,
) -> None:
    llm = ExploringLlm()
    async with thinking(access, embedder, llm, **limits) as mind:
        outcome = await call(mind, "reasoning_tree", {"content": QUESTION, "confidence": 1.0})
    answer = outcome.answer
    assert (answer["exhausted"], answer["partial"]) == (limit, True)
    assert (answer["branches_explored"], answer["ballots"]) == (explored, ballots)
    assert len(answer.get("failed_branches", [])) == 4 - explored
    assert answer["below_threshold"] is True
    assert sum(map(len, llm.asked.values())) == 1 + explored + ballots
    assert any("best so far" in note for note in outcome.notes)


async def test_a_budget_that_reaches_for_no_branch_is_an_error(
    access: Access, embedder: Embedder
) -> None:
    async with thinking(access, embedder, ExploringLlm(), budget_calls=1) as mind:
        with pytest.raises(BudgetExceeded, match="calls"):
            await answered(mind, "tree", content=QUESTION)
        assert stored_rows(access) == []


async def test_a_threshold_that_is_missed_is_tried_once_more_and_the_surer_is_kept(
    access: Access, embedder: Embedder
) -> None:
    llm = ExploringLlm(score=0.6)

    def improving(thoughts: dict[str, str]) -> str:
        llm.score = 0.6 if len(llm.asked["propose"]) == 1 else 0.4
        return min(thoughts, key=lambda label: WORDS.index(thoughts[label].split()[-1]))

    llm.judge = improving
    async with thinking(access, embedder, llm) as mind:
        request = {"content": QUESTION, "confidence": 0.8, "max_branches": 2}
        outcome = await call(mind, "reasoning_tree", request)
        stored = await whole(mind, outcome.answer["session_id"])
    assert outcome.answer["below_threshold"] is True
    assert outcome.answer["confidence"] == pytest.approx(0.6)
    assert any("explored twice" in note for note in outcome.notes)
    assert {kind: len(asked) for kind, asked in llm.asked.items()} == {
        "propose": 2, "explore": 4, "judge": 4,
    }  # fmt: skip
    doubt = llm.asked["propose"][1]
    assert "confidence 0.60, below the 0.80" in doubt
    assert "By harbour; By violin" in doubt
    assert len(stored.thoughts) == 3


async def test_a_threshold_that_is_reached_is_not_tried_again(
    access: Access, embedder: Embedder
) -> None:
    llm = ExploringLlm(score=0.9)
    async with thinking(access, embedder, llm) as mind:
        answer = await answered(mind, "tree", content=QUESTION, confidence=0.8)
    assert len(llm.asked["propose"]) == 1
    assert "below_threshold" not in answer


async def test_a_second_attempt_that_fails_leaves_the_first(
    access: Access, embedder: Embedder
) -> None:
    llm = ExploringLlm(score=0.6)

    def then_away(thoughts: dict[str, str]) -> str:
        llm.broken = {"propose": AWAY}
        return "A"

    llm.judge = then_away
    async with thinking(access, embedder, llm) as mind:
        answer = await answered(mind, "tree", content=QUESTION, confidence=1.0)
    assert (answer["branches_explored"], answer["below_threshold"]) == (4, True)
