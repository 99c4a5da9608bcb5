"""Runs: keys, limits, cancelling, records; on a real database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.errors import (
    BudgetExceeded,
    Conflict,
    InternalFault,
    LlmUnavailable,
    MemoryNotFound,
    TimedOut,
)
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Ask, Embedder, Reply, Usage
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from reasonloom.stores.runs import runs
from reasonloom.stores.runs.runs import RunRow
from tests.support.calls import call, recalled, remember

THOUGHT = {"content": "What must we tell the restaurant?"}


class ScriptedLlm:
    """Answers in turn with what it was given: a reply, an error to raise, or seconds to wait."""

    name = "scripted"
    offline = False

    def __init__(self, *script: Reply | Exception | float) -> None:
        self._script = list(script)
        self.asked: list[Ask] = []

    async def answer(self, ask: Ask) -> Reply:
        step = self._script[min(len(self.asked), len(self._script) - 1)]
        self.asked.append(ask)
        if isinstance(step, Exception):
            raise step
        if isinstance(step, float):
            await asyncio.sleep(step)
            return thought("after a while")
        return step

    async def close(self) -> None:
        """Do nothing."""


def thought(text: str, confidence: float = 0.9, *, tokens: int = 10, usd: float = 0.01) -> Reply:
    parsed = {"thought": text, "confidence": confidence}
    return Reply(text, parsed, "scripted-1", Usage(tokens, 5, usd))


@asynccontextmanager
async def engine_with(
    access: Access, embedder: Embedder, llm: ScriptedLlm, **limits: Any
) -> AsyncIterator[Engine]:
    settings = Settings(lease_seconds=1.0, **limits)
    async with open_engine(settings, access=access, llm=llm, embedder=embedder) as engine:
        yield engine


async def rows(engine: Engine) -> list[RunRow]:
    await engine.journal.flush()
    async with engine.loom.database.begin(Caller("local")) as tx:
        return await runs.newest(tx, 100)


async def test_the_same_key_gives_the_same_run(engine: Engine) -> None:
    fact = {
        "content": "Green tea is in the tin.",
        "userId": "local",
        "sessionId": "s",
        "primarySector": "semantic",
    }
    first = await call(engine, "remember", fact, key="k")
    again = await call(engine, "remember", fact, key="k")
    assert (again.run_id, again.answer) == (first.run_id, first.answer)
    assert len(await recalled(engine, "tea")) == 1
    with pytest.raises(Conflict, match="another request"):
        await call(engine, "remember", {**fact, "content": "Other tea."}, key="k")


async def test_many_calls_with_one_key_at_once_are_one_run(
    access: Access, embedder: Embedder
) -> None:
    llm = ScriptedLlm(0.3)
    async with engine_with(access, embedder, llm) as engine:
        jobs = [call(engine, "reasoning_linear", THOUGHT, key="k") for _ in range(5)]
        outcomes = await asyncio.gather(*jobs)
        assert len({outcome.run_id for outcome in outcomes}) == 1
        assert len(llm.asked) == 1
        assert [row.status for row in await rows(engine)] == ["done"]


async def test_a_failed_run_is_taken_up_again_by_its_key(
    access: Access, embedder: Embedder
) -> None:
    llm = ScriptedLlm(LlmUnavailable("not reached"), thought("now"))
    async with engine_with(access, embedder, llm) as engine:
        with pytest.raises(LlmUnavailable):
            await call(engine, "reasoning_linear", THOUGHT, key="k")
        (failed,) = await rows(engine)
        assert failed.status == "failed"
        assert failed.error == {"type": "LlmUnavailable", "message": "not reached"}
        outcome = await call(engine, "reasoning_linear", THOUGHT, key="k")
        assert (outcome.run_id, outcome.answer["content"]) == (failed.id, "now")


async def test_a_run_records_what_it_took(access: Access, embedder: Embedder) -> None:
    async with engine_with(access, embedder, ScriptedLlm(thought("so"))) as engine:
        await remember(engine, "The restaurant cooks with peanuts.")
        outcome = await call(engine, "reasoning_linear", THOUGHT)
        (run, _) = await rows(engine)
        assert (run.id, run.tool, run.status, run.llm) == (
            outcome.run_id, "reasoning_linear", "done", "scripted",
        )  # fmt: skip
        assert run.output
        assert run.output["answer"] == outcome.answer
        assert run.session_id == UUID(outcome.answer["session_id"])
        assert run.latency_ms
        async with engine.loom.database.begin(Caller("local")) as tx:
            (made,) = (await runs.calls_of(tx, [run.id]))[run.id]
        assert (made["prompt"], made["prompt_version"], len(made["prompt_hash"])) == (
            "linear/continue", 3, 16,
        )  # fmt: skip
        assert (made["tokens_in"], made["tokens_out"], made["cost_usd"]) == (10, 5, 0.01)
        assert made["model"] == "scripted-1"


async def test_reads_and_mistakes_are_recorded_after_the_answer(engine: Engine) -> None:
    await recalled(engine, "anything")
    with pytest.raises(MemoryNotFound):
        await call(engine, "forget", {"userId": "local", "memoryId": "mem-9"})
    assert {(row.tool, row.status) for row in await rows(engine)} == {
        ("recall", "done"),
        ("forget", "failed"),
    }


async def test_a_thought_too_unsure_is_tried_once_more_with_its_doubt(
    access: Access, embedder: Embedder
) -> None:
    llm = ScriptedLlm(thought("perhaps", 0.3), thought("surely", 0.8))
    async with engine_with(access, embedder, llm) as engine:
        outcome = await call(engine, "reasoning_linear", {**THOUGHT, "confidence": 0.7})
        assert (outcome.answer["content"], len(llm.asked)) == ("surely", 2)
        assert "perhaps" in str(llm.asked[1].messages[1].content)
        assert "below_threshold" not in outcome.answer


async def test_the_surer_of_two_unsure_thoughts_is_kept_and_marked(
    access: Access, embedder: Embedder
) -> None:
    llm = ScriptedLlm(thought("first", 0.5), thought("second", 0.3))
    async with engine_with(access, embedder, llm) as engine:
        outcome = await call(engine, "reasoning_linear", {**THOUGHT, "confidence": 0.7})
        assert (outcome.answer["content"], outcome.answer["below_threshold"]) == ("first", True)


async def test_a_reply_that_is_no_json_is_a_thought_all_the_same(
    access: Access, embedder: Embedder
) -> None:
    llm = ScriptedLlm(Reply("just words", None, "m", truncated=True))
    async with engine_with(access, embedder, llm) as engine:
        outcome = await call(engine, "reasoning_linear", THOUGHT)
        assert (outcome.answer["content"], outcome.answer["confidence"]) == ("just words", 0.8)
        assert ["cut at" in note or "default" in note for note in outcome.notes] == [True, True]


@pytest.mark.parametrize(
    ("limits", "first", "named"),
    [
        ({"budget_calls": 1}, thought("a", 0.1), "1 calls"),
        ({"budget_tokens": 15}, thought("a", 0.1), "15 tokens"),
        ({"budget_usd": 0.01}, thought("a", 0.1), "0.01 usd"),
    ],
)
async def test_a_budget_is_kept(
    access: Access, embedder: Embedder, limits: dict[str, Any], first: Reply, named: str
) -> None:
    async with engine_with(access, embedder, ScriptedLlm(first), **limits) as engine:
        with pytest.raises(BudgetExceeded, match=named):
            await call(engine, "reasoning_linear", {**THOUGHT, "confidence": 0.9})
        assert [row.status for row in await rows(engine)] == ["failed"]


async def test_a_run_that_takes_too_long_ends(access: Access, embedder: Embedder) -> None:
    async with engine_with(access, embedder, ScriptedLlm(30.0), tool_timeout=0.5) as engine:
        with pytest.raises(TimedOut):
            await call(engine, "reasoning_linear", THOUGHT)
        assert [row.status for row in await rows(engine)] == ["failed"]


async def test_a_cancelled_call_is_recorded_and_can_be_taken_up(
    access: Access, embedder: Embedder
) -> None:
    llm = ScriptedLlm(30.0, thought("in the end"))
    async with engine_with(access, embedder, llm) as engine:
        job = asyncio.create_task(call(engine, "reasoning_linear", THOUGHT, key="k"))
        while not llm.asked:
            await asyncio.sleep(0.01)
        job.cancel()
        with pytest.raises(asyncio.CancelledError):
            await job
        assert [row.status for row in await rows(engine)] == ["cancelled"]
        outcome = await call(engine, "reasoning_linear", THOUGHT, key="k")
        assert outcome.answer["content"] == "in the end"


async def test_a_defect_is_told_without_its_insides(access: Access, embedder: Embedder) -> None:
    llm = ScriptedLlm(ZeroDivisionError("secret insides"))
    async with engine_with(access, embedder, llm) as engine:
        with pytest.raises(InternalFault) as caught:
            await call(engine, "reasoning_linear", THOUGHT)
        assert "secret" not in caught.value.message
        (row,) = await rows(engine)
        assert "secret" not in str(row.error)


async def test_thirty_sessions_at_once(access: Access, embedder: Embedder) -> None:
    async with engine_with(access, embedder, ScriptedLlm(thought("so"))) as engine:
        jobs = [call(engine, "reasoning_linear", THOUGHT) for _ in range(30)]
        outcomes = await asyncio.gather(*jobs)
        assert len({outcome.answer["session_id"] for outcome in outcomes}) == 30


async def test_without_automatic_memory_nothing_is_recalled_or_kept(
    access: Access, embedder: Embedder
) -> None:
    async with engine_with(access, embedder, ScriptedLlm(thought("so"))) as engine:
        await remember(engine, "The restaurant cooks with peanuts.")
        settings = engine.loom.settings.model_copy(update={"auto_memory": False})
        engine.loom = replace(engine.loom, settings=settings)
        outcome = await call(engine, "reasoning_linear", THOUGHT)
        assert outcome.answer["memories_used"] == []
        assert len(await recalled(engine, None)) == 1


class BrokenEmbedder:
    """An embedder whose model cannot be loaded."""

    model, dimension, floor = "broken", 3, 0.0

    async def embed(self, texts: object) -> list[list[float]]:
        from reasonloom.errors import EmbedderUnavailable

        raise EmbedderUnavailable("the model is not there")

    async def close(self) -> None:
        """Do nothing."""


async def test_without_an_embedder_all_but_dense_search_works(access: Access) -> None:
    async with open_engine(Settings(), access=access, embedder=BrokenEmbedder()) as engine:
        fact = {
            "content": "Green tea is in the tin.",
            "userId": "local",
            "sessionId": "s",
            "primarySector": "semantic",
        }
        stored = await call(engine, "remember", fact)
        assert stored.answer["embeddingsGenerated"] == 0
        found = await call(engine, "recall", {"userId": "local", "text": "green tea"})
        assert [memory["content"] for memory in found.answer["memories"]] == [fact["content"]]
        reasoned = await call(engine, "reasoning_linear", {"content": "Where is the tea?"})
        for outcome in (stored, found, reasoned):
            assert any("dense search is off" in note for note in outcome.notes)
