"""Thinking without a language model: specific to what is given, honest, and in any language."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client

from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.offline import NO_MODEL
from reasonloom.nodes.thinking.streams import STREAMS
from reasonloom.server.app import build_server
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.settings import load_settings
from tests.support.calls import call, remember
from tests.support.databases.postgres import TestPostgres

MODES = (*STREAMS, "parallel")
DATABASE: dict[str, Any] = {
    "problem": "How do we make the order queries of the database faster?",
    "context": {
        "background": "The database has 1M records. Orders are queried by date.",
        "constraints": ["No schema changes"],
        "goals": ["Answers within 100 ms"],
    },
}
MILL: dict[str, Any] = {
    "problem": "Should the parish sell the old mill?",
    "context": {"background": "The mill has been empty for ten years."},
}


async def thought(engine: Engine, mode: str, asked: dict[str, Any]) -> Any:
    return (await call(engine, "think", {**asked, "mode": mode})).answer


@pytest.mark.parametrize("mode", MODES)
async def test_two_problems_never_get_the_same_answer(engine: Engine, mode: str) -> None:
    first, second = [await thought(engine, mode, asked) for asked in (DATABASE, MILL)]
    for each, word, foreign in ((first, "database", "mill"), (second, "mill", "database")):
        said = str([each["conclusion"], each["insights"], each.get("streams")])
        assert word in said
        assert foreign not in said


async def test_the_answer_says_that_nobody_thought(engine: Engine) -> None:
    single, parallel = [await thought(engine, mode, DATABASE) for mode in ("critical", "parallel")]
    for each in (single, parallel):
        assert (each["suggestion"], each["kind"]) == (NO_MODEL, "open_question")
        assert each["confidence"] == 0.1
        assert [goal["covered"] for goal in each["goals"]] == [0.0]
    assert parallel["status"] == "completed"
    assert [each["stream"] for each in parallel["streams"]] == [*STREAMS]
    assert {each["kind"] for each in parallel["streams"]} == {"open_question"}
    assert parallel["recommendations"] == []
    assert (parallel["quality"], parallel["conflicts"]) == (0.0, [])


async def test_pondering_without_a_language_model_ends_after_one_quarter(engine: Engine) -> None:
    found = (await call(engine, "ponder", DATABASE)).answer
    assert (found["stoppedBecause"], found["quarters"]) == ("offline", 1)
    assert (found["status"], "missing" in found) == ("completed", False)


async def test_memory_speaks_where_it_is_known(engine: Engine) -> None:
    memory = await remember(engine, "The old mill of the parish floods each spring.")
    found = await thought(engine, "analytical", MILL)
    assert "floods each spring" in found["conclusion"]
    assert found["memoriesUsed"] == [memory]


@pytest.mark.parametrize("problem", [
    "如何提高留存率？", "Как удержать клиентов?", "كيف نحافظ على العملاء؟", "🙂", "?!",
    "a" * 100_000, "why " * 25_000,
])  # fmt: skip
async def test_any_language_and_any_length_is_answered(engine: Engine, problem: str) -> None:
    found = await thought(engine, "parallel", {"problem": problem})
    assert found["conclusion"]
    assert found["confidence"] == 0.0, "nothing is known, and nobody has thought"
    assert (await call(engine, "ponder", {"problem": problem})).answer["insights"] == []


async def test_a_constraint_stays_undecided(engine: Engine) -> None:
    found = await thought(engine, "creative", DATABASE)
    (checked,) = found["constraints"]
    assert (checked["constraint"], checked["kept"]) == ("No schema changes", None)


@pytest.mark.parametrize("tool", ["think", "ponder"])
async def test_the_metadata_names_the_language_model_only_where_there_is_one(
    tool: str, postgres: TestPostgres, database: str
) -> None:
    asked = {"problem": "Why?", **({"mode": "parallel"} if tool == "think" else {})}
    url = postgres.address.dsn("postgres", database)
    settings = load_settings(database_url=url, toolsets="all")
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        answer = (await client.call_tool(tool, asked)).structured_content or {}
        assert answer["success"]
        assert "reasoningStreams" in answer["metadata"]["componentsUsed"]
        assert "languageModel" not in answer["metadata"]["componentsUsed"]
        wrong = (await client.call_tool(tool, {**asked, "problem": ""})).structured_content or {}
    assert (wrong["success"], wrong["suggestion"]) == (False, "Provide non-empty problem")
    assert load_graph(tool).of_llm == ("languageModel",)
