"""Thinking without a language model: specific to what is given, honest, and in any language."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client

from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.thinking.offline import evaluate_sums
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
        said = str([each["conclusion"], each["insights"], each.get("recommendations")])
        assert word in said
        assert foreign not in said
    assert first["confidence"] != second["confidence"]


async def test_the_answer_says_that_nobody_thought(engine: Engine) -> None:
    single, parallel = [await thought(engine, mode, DATABASE) for mode in ("critical", "parallel")]
    for each in (single, parallel):
        assert "No language model is configured" in each["suggestion"]
        assert each["confidence"] <= 0.5
    assert parallel["status"] == "completed"
    assert {source for each in parallel["insights"] for source in each["sources"]} == {*STREAMS}
    assert {each["sources"][0] for each in parallel["recommendations"]} <= {*STREAMS}


async def test_pondering_without_a_language_model_ends_after_one_quarter(engine: Engine) -> None:
    found = (await call(engine, "ponder", DATABASE)).answer
    assert (found["stoppedBecause"], found["quarters"]) == ("offline", 1)
    assert (found["status"], "missing" in found) == ("completed", False)


async def test_memory_speaks_where_it_is_known(engine: Engine) -> None:
    memory = await remember(engine, "The old mill of the parish floods each spring.")
    found = await thought(engine, "analytical", MILL)
    assert "floods each spring" in found["conclusion"]
    assert found["memoriesUsed"] == [memory]


async def test_what_can_be_reckoned_is_reckoned(engine: Engine) -> None:
    found = await thought(engine, "parallel", {"problem": "What is 17*23?"})
    assert "17*23 = 391" in found["conclusion"]
    assert "innovative" not in str(found)


@pytest.mark.parametrize(("text", "sums"), [
    ("What is 17*23?", ["17*23 = 391"]),
    ("(2 + 3) × 4 and 1/8", ["(2 + 3) × 4 = 20", "1/8 = 0.125"]),
    ("On 2026-01-05 or 1/2/2026", []), ("7/0", []), ("x+1, v1.2-3a, 9", []), ("1" * 90 + "+1", []),
])  # fmt: skip
def test_sums_are_found_and_dates_are_none(text: str, sums: list[str]) -> None:
    assert evaluate_sums(text) == sums


async def test_what_is_given_and_contradicts_itself_is_told(engine: Engine) -> None:
    context = {"background": "Die Mühle gehört der Pfarre. Die Mühle gehört nicht der Pfarre."}
    asked = {"problem": "Soll die Pfarre die Mühle verkaufen?", "context": context}
    found = await thought(engine, "critical", asked)
    assert "Die Mühle gehört nicht der Pfarre" in found["conclusion"]
    assert "soll" not in str(found["insights"])


@pytest.mark.parametrize("problem", [
    "如何提高留存率？", "Как удержать клиентов?", "كيف نحافظ على العملاء؟", "🙂", "?!",
    "a" * 100_000, "why " * 25_000,
])  # fmt: skip
async def test_any_language_and_any_length_is_answered(engine: Engine, problem: str) -> None:
    found = await thought(engine, "parallel", {"problem": problem})
    assert found["conclusion"]
    assert found["confidence"] == 0.0, "nothing is known, and nobody has thought"
    assert (await call(engine, "ponder", {"problem": problem})).answer["recommendations"]


async def test_a_constraint_is_checked_by_words_that_say_so(engine: Engine) -> None:
    found = await thought(engine, "creative", DATABASE)
    (checked,) = found["constraints"]
    assert (checked["constraint"], checked["by"]) == ("No schema changes", "words")


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
