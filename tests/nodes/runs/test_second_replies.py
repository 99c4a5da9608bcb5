"""A reply that cannot be read is asked for once more: recorded, within the budget and the time."""

from __future__ import annotations

from typing import Any

import pytest

from reasonloom.errors import LlmUnavailable
from reasonloom.llm.interfaces import Embedder
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.llms.answering import AnsweringLlm, ReplyFields, words_of
from tests.support.memory.graph import query
from tests.support.reasoning.sessions import thinking

GOOD = {"thought": "Use port 5432.", "confidence": 0.8}
CUT = '{"confidence": 0.8, "thou'
STEP = {"content": "Which port?"}


async def thought(access: Access, embedder: Embedder, llm: AnsweringLlm, **more: Any) -> Any:
    async with thinking(access, embedder, llm, **more) as mind:
        return await call(mind, "reasoning_linear", STEP)


def recorded(access: Access) -> list[tuple[Any, ...]]:
    return query(access, "SELECT task, tokens_out FROM llm_calls ORDER BY task")


@pytest.mark.parametrize("first", [CUT, "[1, 2]", "Prose alone.", '{"confidence": "0.8"}'])
async def test_the_second_answer_is_used_and_both_are_recorded(
    access: Access, embedder: Embedder, first: str
) -> None:
    llm = AnsweringLlm(thought=[first, GOOD])
    outcome = await thought(access, embedder, llm)
    assert outcome.answer["content"] == "Use port 5432."
    assert outcome.answer["confidence"] == 0.8
    assert [task for task, _ in recorded(access)] == ["0", "0.again"]
    one, two = (words_of(ask) for ask in llm.asked["thought"])
    assert two.startswith(one)
    assert "could not be used: " in two.removeprefix(one)


async def test_the_error_is_in_words(access: Access, embedder: Embedder) -> None:
    llm = AnsweringLlm(thought=['{"thought": "Use it.", "confidence": 7}', GOOD])
    await thought(access, embedder, llm)
    assert "confidence: 7 is greater than the maximum of 1" in words_of(llm.asked["thought"][1])


@pytest.mark.parametrize("second", ["More prose.", LlmUnavailable("away"), CUT])
async def test_prose_is_used_where_the_second_answer_is_no_better(
    access: Access, embedder: Embedder, second: ReplyFields
) -> None:
    llm = AnsweringLlm(thought=["Prose alone.", second])
    outcome = await thought(access, embedder, llm)
    assert outcome.answer["content"] == "Prose alone."
    assert llm.counts["thought"] == 2
    assert any("was not the requested JSON" in note for note in outcome.notes)


async def test_json_without_text_is_an_error_after_two(access: Access, embedder: Embedder) -> None:
    llm = AnsweringLlm(thought=CUT)
    with pytest.raises(LlmUnavailable, match="no usable answer"):
        await thought(access, embedder, llm)
    assert llm.counts["thought"] == 2
    assert query(access, "SELECT count(*) FROM thoughts") == [(0,)]


@pytest.mark.parametrize("limit", [{"budget_calls": 1}, {"tool_timeout": 2.0}])
async def test_without_budget_or_time_the_first_answer_is_used(
    access: Access, embedder: Embedder, limit: dict[str, Any]
) -> None:
    llm = AnsweringLlm(thought=["Prose alone.", 60.0])
    outcome = await thought(access, embedder, llm, **limit)
    assert outcome.answer["content"] == "Prose alone."
    assert [task for task, _ in recorded(access)] == ["0"]
