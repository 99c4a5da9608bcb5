"""`reasoning_feedback` stores what came of an answer, and later confidences learn from it."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from reasonloom.errors import Conflict, ReasonloomError, RunNotFound
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.llm.offline.model import OfflineModel
from reasonloom.stores.access import Access
from tests.support.calls import call, remember
from tests.support.llms.numbered import TellingLlm
from tests.support.reasoning.sessions import answered, thinking


async def report(engine: Engine, outcome: str, *, owner: str = "local", **which: str) -> Any:
    given = {**which, "outcome": outcome}
    return (await call(engine, "reasoning_feedback", given, owner=owner)).answer


async def test_wrong_answers_lower_later_confidences_of_that_tool_and_owner(
    access: Access, embedder: Embedder
) -> None:
    async with thinking(access, embedder, TellingLlm()) as engine:
        for number in range(4):
            answer = await answered(engine, "linear", content=f"Where is key {number}?")
            told = await report(engine, "wrong", run_id=answer["run_id"])
            assert told["outcomes"] == number + 1
            assert told["stated_confidence"] == 0.9
        assert told["right"] == 0.0
        assert told["recalibrated_error"] < told["calibration_error"] == 0.9
        later = await call(engine, "reasoning_linear", {"content": "Where is the map?"})
        assert later.answer["confidence"] < 0.75
        assert "recalibrated from 0.90 by 4 reported outcomes of reasoning_linear" in str(
            later.notes
        )
        told = await report(engine, "right", thought_id=later.answer["thought_id"])
        assert told["stated_confidence"] == 0.9
        assert told["run_id"] == later.answer["run_id"]
        other = await call(engine, "reasoning_linear", {"content": "Where is it?"}, owner="eva")
        assert other.answer["confidence"] == 0.9
        assert not other.notes


async def test_a_second_report_replaces_the_first(access: Access, embedder: Embedder) -> None:
    async with thinking(access, embedder, TellingLlm()) as engine:
        answer = await answered(engine, "linear", content="Where is the key?")
        await report(engine, "wrong", run_id=answer["run_id"])
        told = await report(engine, "partly_right", run_id=answer["run_id"])
        assert (told["outcomes"], told["right"]) == (1, 0.5)


async def test_what_no_language_model_answered_keeps_its_confidence(
    access: Access, embedder: Embedder
) -> None:
    async with thinking(access, embedder, OfflineModel()) as engine:
        answer = await answered(engine, "linear", content="Where is the key?")
        await report(engine, "right", run_id=answer["run_id"])
        assert (await answered(engine, "linear", content="And the map?"))["confidence"] == 0.0


@pytest.mark.parametrize(
    ("which", "error"),
    [
        ({"run_id": str(uuid4())}, RunNotFound),
        ({"run_id": "no id"}, RunNotFound),
        ({"thought_id": str(uuid4())}, ReasonloomError),
        ({}, ReasonloomError),
        ({"run_id": "a", "thought_id": "b"}, ReasonloomError),
    ],
)
async def test_what_names_no_run_is_refused(
    access: Access, embedder: Embedder, which: dict[str, str], error: type[ReasonloomError]
) -> None:
    async with thinking(access, embedder, TellingLlm()) as engine:
        with pytest.raises(error):
            await report(engine, "right", **which)


async def test_a_run_of_another_owner_is_not_found(access: Access, embedder: Embedder) -> None:
    async with thinking(access, embedder, TellingLlm()) as engine:
        answer = await answered(engine, "linear", content="Where is the key?", owner="eva")
        for which in ({"run_id": answer["run_id"]}, {"thought_id": answer["thought_id"]}):
            with pytest.raises(ReasonloomError):
                await report(engine, "wrong", **which)
        again = await answered(engine, "linear", content="Where is the map?", owner="eva")
        assert again["confidence"] == 0.9


async def test_a_redacted_run_counts_no_longer(access: Access, embedder: Embedder) -> None:
    async with thinking(access, embedder, TellingLlm(), auto_memory=True) as engine:
        memory = await remember(engine, "The key is under the mat.")
        answer = await answered(engine, "linear", content="Where is the key, under the mat?")
        await report(engine, "wrong", run_id=answer["run_id"])
        given = {"userId": "local", "memoryId": memory, "soft": False}
        await call(engine, "forget", given)
        with pytest.raises(Conflict, match="has no confidence"):
            await report(engine, "right", run_id=answer["run_id"])
        later = await answered(engine, "linear", content="Where is the map?")
        assert later["confidence"] == 0.9
