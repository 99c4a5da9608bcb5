"""`reasoning_auto` with `execute` answers directly first: twice, and compares."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reasonloom.errors import LlmUnavailable
from reasonloom.llm.interfaces import Ask, Embedder, Reply, Usage
from reasonloom.stores.access import Access
from tests.graphs.runs.test_engine import ScriptedLlm, rows, thought
from tests.nodes.reasoning.test_auto import vote
from tests.support.calls import call
from tests.support.reasoning.sessions import answered, stored_rows, thinking, whole


class ByTask(ScriptedLlm):
    """Answers the sample of each number as told, and all that follows from the script."""

    def __init__(self, answers: dict[str, str], *script: Reply | Exception) -> None:
        super().__init__(*script)
        self._answers = answers
        self._left = [*script]

    async def answer(self, ask: Ask) -> Reply:
        self.asked.append(ask)
        if ask.pipe == "linear" and len(self._left) == len(self._script):
            again = "<failed>" in str(ask.messages[-1].content)
            task = f"{ask.sample}.check" if again else str(ask.sample)
            return thought(self._answers.get(task, self._answers[str(ask.sample)]))
        step = self._left.pop(0) if len(self._left) > 1 else self._left[0]
        if isinstance(step, Exception):
            raise step
        return step


QUESTION = "What is 17 percent of 2,340?"
GIVEN: dict[str, Any] = {"content": QUESTION, "execute": True}


def compared(*, same: bool) -> Reply:
    parsed = {"reason": "By their values.", "same": same}
    return Reply(json.dumps(parsed), parsed, "scripted-1", Usage(10, 5, 0.0))


async def test_two_answers_that_agree_are_enough(access: Access, embedder: Embedder) -> None:
    llm = ScriptedLlm(thought("It is 397.80."), thought("397.80 it is."), compared(same=True))
    async with thinking(access, embedder, llm) as engine:
        outcome = await call(engine, "reasoning_auto", GIVEN, key="k")
        again = await call(engine, "reasoning_auto", GIVEN, key="k")
        kept = await rows(engine)
        answer = outcome.answer
        session = await whole(engine, answer["result"]["session_id"])
    assert (answer["recommended_mode"], answer["executed"]) == ("linear", "reasoning_linear")
    assert answer["result"]["content"] == "It is 397.80."
    assert answer["result"]["run_id"] == answer["run_id"]
    assert "independently" in answer["rationale"]
    assert not {"partial", "direct_answers", "not_executed"} & set(answer)
    assert again.answer == answer
    assert [run.tool for run in kept] == ["reasoning_auto"]
    assert len(llm.asked) == 3
    assert [each.content for each in session.thoughts] == ["It is 397.80."]


async def test_the_same_result_needs_no_comparison(access: Access, embedder: Embedder) -> None:
    first, second = "17 times 23.40.\n**Answer: 397.80**", "A sixth, and more.\nAnswer: 397.80."
    llm = ScriptedLlm(thought(first), thought(second), LlmUnavailable("nobody compares"))
    async with thinking(access, embedder, llm) as engine:
        outcome = await call(engine, "reasoning_auto", GIVEN)
    assert outcome.answer["executed"] == "reasoning_linear"
    assert len(llm.asked) == 2


async def test_where_they_differ_a_mode_weighs_both(access: Access, embedder: Embedder) -> None:
    llm = ScriptedLlm(
        thought("It is 397.80."), thought("It is 379.80."), compared(same=False), vote("linear"),
        LlmUnavailable("away"),
    )  # fmt: skip
    async with thinking(access, embedder, llm) as engine:
        answer = await answered(engine, "auto", **GIVEN)
    assert sorted(answer["direct_answers"]) == ["It is 379.80.", "It is 397.80."]
    assert answer["recommended_mode"] in {"tree", "divergent", "ponder"}
    last = str(llm.asked[-1].messages[-1].content)
    assert all(each in last for each in (QUESTION, "It is 379.80.", "It is 397.80."))


@pytest.mark.parametrize("missing", ["first", "second", "comparison"])
async def test_an_answer_that_fails_leaves_the_choice_of_a_mode(
    access: Access, embedder: Embedder, missing: str
) -> None:
    away = LlmUnavailable("away")
    replies: dict[str, list[Any]] = {
        "first": [away, thought("x"), vote("linear"), thought("y")],
        "second": [thought("x"), away, vote("linear"), thought("y")],
        "comparison": [thought("x"), thought("z"), away, vote("ponder"), away],
    }
    async with thinking(access, embedder, ScriptedLlm(*replies[missing])) as engine:
        outcome = await call(engine, "reasoning_auto", GIVEN)
    assert any("away" in note for note in outcome.notes)
    assert outcome.answer["executed"] != "none"
    assert ("direct_answers" in outcome.answer) == (missing == "comparison")


@pytest.mark.parametrize("more", [{"hints": ["one step"]}, {"execute": False}])
async def test_whoever_hints_or_does_not_execute_is_answered_by_the_choice_alone(
    access: Access, embedder: Embedder, more: dict[str, Any]
) -> None:
    llm = ScriptedLlm(vote("linear"), thought("It is 397.80."))
    async with thinking(access, embedder, llm) as engine:
        await answered(engine, "auto", **GIVEN | more)
    assert llm.asked[0].pipe == "auto"
    if not more.get("execute", True):
        assert len(llm.asked) == 1
        assert stored_rows(access) == []


WRONG = "It is 17 * 2,340 / 100 = 379.80."
RIGHT = "It is 17 * 2,340 / 100 = 397.80."


async def test_one_answer_without_a_fault_is_kept(access: Access, embedder: Embedder) -> None:
    llm = ByTask({"0": WRONG, "0.check": WRONG, "1": RIGHT}, compared(same=True))
    async with thinking(access, embedder, llm) as engine:
        outcome = await call(engine, "reasoning_auto", GIVEN)
    assert outcome.answer["result"]["content"] == RIGHT
    assert not any("does not hold" in note for note in outcome.notes)


async def test_two_answers_with_faults_are_no_reason_to_stop(
    access: Access, embedder: Embedder
) -> None:
    llm = ByTask({"0": WRONG, "1": WRONG}, vote("linear"), LlmUnavailable("away"))
    async with thinking(access, embedder, llm) as engine:
        outcome = await call(engine, "reasoning_auto", GIVEN)
    assert outcome.answer["direct_answers"] == [WRONG, WRONG]
    assert outcome.answer["recommended_mode"] in {"tree", "divergent", "ponder"}
    assert any(
        note.startswith("a calculation in the answer does not hold: It is 17")
        for note in outcome.notes
    )
    assert llm.asked[4].pipe == "auto", "nobody is asked whether they come to the same"
