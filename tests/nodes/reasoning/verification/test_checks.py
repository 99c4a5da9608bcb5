"""What checks find wrong in a mode's answer goes back once; what is still wrong then is noted."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.errors import LlmUnavailable
from reasonloom.graphs.runs.answers import Given, GivenReply, answer_run
from reasonloom.llm.interfaces import Ask, Embedder, Reply
from reasonloom.llm.offline.model import OfflineModel
from reasonloom.stores.access import Access
from tests.support.calls import call, remember
from tests.support.llms.answering import AnsweringLlm, ReplyFields, words_of
from tests.support.reasoning.sessions import thinking

QUESTION = "How many rows are there, and how long does the restore of the payments database take?"
WRONG = "There are 17 * 23 = 381 rows."
RIGHT = "There are 17 * 23 = 391 rows."
RESTORE = "The restore of the payments database takes 40 minutes."
NOTE = f"a calculation in the answer does not hold: {WRONG} (right is: 17 * 23 = 391)"


def thought(text: str) -> ReplyFields:
    return {"thought": text, "confidence": 0.8}


def mending(field: str, wrong: str, right: str, **more: Any) -> Any:
    """Return answers with a slip that is mended once it is pointed out."""

    def answer(ask: Ask) -> ReplyFields:
        return {field: right if ask.material["failed"] else wrong, **more}

    return answer


def feedback(ask: Ask) -> str:
    return words_of(ask).partition("<failed>")[2]


async def linear(access: Access, embedder: Embedder, llm: AnsweringLlm, **more: Any) -> Any:
    async with thinking(access, embedder, llm, **more) as mind:
        if more.get("auto_memory"):
            await remember(mind, RESTORE)
        return await call(mind, "reasoning_linear", {"content": QUESTION})


async def test_a_slip_in_the_text_is_mended(access: Access, embedder: Embedder) -> None:
    llm = AnsweringLlm(thought=mending("thought", WRONG, RIGHT, confidence=0.8))
    outcome = await linear(access, embedder, llm)
    first, second = llm.asked["thought"]
    assert not feedback(first)
    assert f"Your answer was: {WRONG}" in feedback(second)
    assert "(right is: 17 * 23 = 391)" in feedback(second)
    assert outcome.answer["content"] == RIGHT
    assert not any("does not hold" in note for note in outcome.notes)


async def test_one_that_is_not_mended_is_noted(access: Access, embedder: Embedder) -> None:
    llm = AnsweringLlm(thought=thought(WRONG))
    outcome = await linear(access, embedder, llm)
    assert llm.counts == {"thought": 2}
    assert outcome.answer["content"] == WRONG
    assert NOTE in outcome.notes


@pytest.mark.parametrize("text", [RIGHT, "There are rows.", "9**9**9 = 1", "Is 17 * 23 = 381?"])
async def test_what_holds_or_is_not_checked_costs_nothing(
    access: Access, embedder: Embedder, text: str
) -> None:
    llm = AnsweringLlm(thought=thought(text))
    outcome = await linear(access, embedder, llm)
    assert llm.counts == {"thought": 1}
    assert not any("does not hold" in note for note in outcome.notes)


async def test_a_figure_that_a_memory_contradicts_goes_back(
    access: Access, embedder: Embedder
) -> None:
    wrong = "The restore of the payments database takes 25 minutes."
    llm = AnsweringLlm(thought=mending("thought", wrong, RESTORE, confidence=0.8))
    outcome = await linear(access, embedder, llm, auto_memory=True)
    _, second = llm.asked["thought"]
    assert f"- {wrong}\n  memory: {RESTORE}" in feedback(second)
    assert "does not hold" not in feedback(second)
    assert outcome.answer["content"] == RESTORE


async def test_a_contradiction_that_stays_names_the_memory(
    access: Access, embedder: Embedder
) -> None:
    wrong = "The restore of the payments database takes 25 minutes."
    llm = AnsweringLlm(thought=thought(wrong))
    async with thinking(access, embedder, llm, auto_memory=True) as mind:
        memory = await remember(mind, RESTORE)
        outcome = await call(mind, "reasoning_linear", {"content": QUESTION})
    assert f"the answer contradicts {memory}: {wrong}" in outcome.notes


async def test_a_budget_that_ends_leaves_the_answer_and_its_note(
    access: Access, embedder: Embedder
) -> None:
    llm = AnsweringLlm(thought=thought(WRONG))
    outcome = await linear(access, embedder, llm, budget_calls=1)
    assert llm.counts == {"thought": 1}
    assert NOTE in outcome.notes
    assert any("what a check found" in note for note in outcome.notes)


class Hanging(AnsweringLlm):
    """Does not end its second answer until it may."""

    hangs = True

    async def answer(self, ask: Ask) -> Reply:
        reply = await super().answer(ask)
        if self.hangs and len(self.asked["thought"]) == 2:
            await asyncio.sleep(60)
        return reply


async def test_a_run_that_ends_between_check_and_answer_is_resumed_there(
    access: Access, embedder: Embedder
) -> None:
    llm = Hanging(thought=mending("thought", WRONG, RIGHT, confidence=0.8))
    arguments = {"content": QUESTION}
    async with thinking(access, embedder, llm) as mind:
        job = asyncio.create_task(call(mind, "reasoning_linear", arguments, key="k"))
        while len(llm.asked.get("thought", [])) < 2:
            await asyncio.sleep(0.01)
        job.cancel()
        with suppress(asyncio.CancelledError):
            await job
    llm.hangs = False
    async with thinking(access, embedder, llm) as mind:
        answer = (await call(mind, "reasoning_linear", arguments, key="k")).answer
    asked = [feedback(each) for each in llm.asked["thought"]]
    assert answer["content"] == RIGHT
    assert len(asked) == 3
    assert asked[0] == ""
    assert asked[1] == asked[2] != ""


async def test_the_caller_is_asked_again(access: Access, embedder: Embedder) -> None:
    me = Caller("local")
    async with thinking(access, embedder, OfflineModel()) as mind:
        first = await call(mind, "reasoning_linear", {"content": QUESTION}, asks_caller=True)
        run = str(first.run_id)
        slip = {"thought": WRONG, "confidence": 0.8}
        second = await answer_run(mind, me, run, Given([GivenReply("r1q1", slip)]))
        assert second.outcome.round is not None
        (question,) = second.outcome.round.questions
        assert "(right is: 17 * 23 = 391)" in question.user_text
        mended = {"thought": RIGHT, "confidence": 0.8}
        last = await answer_run(mind, me, run, Given([GivenReply("r2q1", mended)]))
    assert last.outcome.answer["content"] == RIGHT


async def test_the_synthesis_of_perspectives_is_checked(access: Access, embedder: Embedder) -> None:
    llm = AnsweringLlm(
        viewpoint={"viewpoint": "Count them.", "confidence": 0.8},
        synthesis=mending("synthesis", WRONG, RIGHT, sources=["P1"]),
    )
    async with thinking(access, embedder, llm) as mind:
        answer = (await call(mind, "reasoning_divergent", {"content": QUESTION})).answer
    assert answer["synthesis"] == RIGHT
    assert llm.counts["synthesis"] == 2


async def test_each_branch_of_a_tree_is_checked(access: Access, embedder: Embedder) -> None:
    approaches = [{"name": f"way {n}", "approach": f"Count by way {n}."} for n in range(1, 3)]
    llm = AnsweringLlm(
        approaches={"approaches": approaches},
        thought=mending("thought", WRONG, RIGHT, confidence=0.8),
        scores=LlmUnavailable("away"),
    )
    async with thinking(access, embedder, llm) as mind:
        arguments = {"content": QUESTION, "max_branches": 2}
        answer = (await call(mind, "reasoning_tree", arguments)).answer
    assert {each["content"] for each in answer["branches"]} == {RIGHT}


async def test_a_revision_is_checked(access: Access, embedder: Embedder) -> None:
    critique = {
        "strengths": [], "weaknesses": ["vague"], "recommendations": [], "findings": [],
        "confidence": 0.4,
    }  # fmt: skip
    judged = {"better": "first", "reason": "so", "first_score": 0.5, "second_score": 0.5}
    llm = AnsweringLlm(
        strengths=critique, reason=judged, revision=mending("revision", WRONG, RIGHT)
    )
    async with thinking(access, embedder, llm) as mind:
        await call(mind, "reasoning_reflection", {"content": "Some rows."})
    (judge,) = llm.asked["reason"]
    assert {judge.material["first"], judge.material["second"]} == {"Some rows.", RIGHT}


async def test_the_synthesis_of_streams_is_checked(access: Access, embedder: Embedder) -> None:
    stream = {
        "reasoning": ["Count."], "reactions": [], "insights": [], "conclusion": "Count them.",
        "confidence": 0.8,
    }  # fmt: skip
    advice = [{"description": "Count.", "sources": ["creative"], "rationale": "so"}]
    llm = AnsweringLlm(
        reasoning=stream, conclusion=mending("conclusion", WRONG, RIGHT, recommendations=advice)
    )
    async with thinking(access, embedder, llm) as mind:
        answer = (await call(mind, "think", {"problem": QUESTION, "mode": "parallel"})).answer
    assert RIGHT in str(answer)
    assert WRONG not in str(answer)
    assert llm.counts["conclusion"] == 2
