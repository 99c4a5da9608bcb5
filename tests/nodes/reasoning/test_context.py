"""The memories that a step of reasoning sees: chosen, labelled, within a budget."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.errors import SettingMistake
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.execution import CurrentRun, Execution
from reasonloom.nodes.reasoning.context import MOST_MEMORIES, recall_for
from reasonloom.settings import load_settings
from reasonloom.stores.access import Access
from reasonloom.text.tokens import estimate_tokens
from tests.support.calls import call, remember
from tests.support.llms.numbered import TellingLlm
from tests.support.reasoning.sessions import answered, thinking

TOPIC = "Why did the checkout service time out in November?"
OTHER = "Who waters the tomatoes in the greenhouse?"
PUZZLE = "Use 4, 7, 8 and 8 to make 24."


async def recalled(
    engine: Engine, text: str, problem: str = ""
) -> tuple[list[dict[str, Any]], list[str]]:
    now = engine.loom.clock()
    run = CurrentRun(uuid4(), "reasoning_linear", "linear", 1, {}, 0.0, created_at=now)
    return await recall_for(Execution(engine.loom, Caller("local"), run), text, problem)


async def chosen(engine: Engine, text: str = TOPIC, problem: str = "") -> list[dict[str, Any]]:
    return (await recalled(engine, text, problem))[0]


def contents(memories: list[dict[str, Any]]) -> list[str]:
    return [each["content"] for each in memories]


async def test_up_to_twenty_are_labelled_with_date_and_kind(engine: Engine) -> None:
    for number in range(MOST_MEMORIES + 5):
        await remember(engine, f"The checkout service had {number} pods in November.")
    found = await chosen(engine)
    assert len(found) == MOST_MEMORIES
    today = engine.loom.clock().date().isoformat()
    numbers = range(1, MOST_MEMORIES + 1)
    assert [each["label"] for each in found] == [f"[M{n}, {today}, fact]" for n in numbers]


@pytest.mark.parametrize(
    ("category", "kind"),
    [
        ("decision", "decision"),
        ("open question", "open question"),
        ("x] [M9, 2026", "fact"),
        ("a\nb", "fact"),
    ],
)
async def test_a_fact_with_a_category_is_labelled_with_it(
    engine: Engine, category: str, kind: str
) -> None:
    content = "The checkout service runs on Postgres."
    await remember(engine, content, metadata={"category": category})
    today = engine.loom.clock().date().isoformat()
    assert [each["label"] for each in await chosen(engine)] == [f"[M1, {today}, {kind}]"]


async def test_a_problem_about_something_else_is_given_nothing(engine: Engine) -> None:
    await remember(engine, "The checkout service timed out in November: its pool was full.")
    await remember(engine, "Ben waters the tomatoes in the greenhouse.", sessionId="another")
    assert contents(await chosen(engine, OTHER)) == ["Ben waters the tomatoes in the greenhouse."]
    assert await chosen(engine, PUZZLE) == []


async def test_the_first_problem_of_a_session_is_searched_too(engine: Engine) -> None:
    await remember(engine, "The checkout service timed out in November: its pool was full.")
    await remember(engine, "Ben waters the tomatoes in the greenhouse.", sessionId="another")
    assert await chosen(engine, PUZZLE) == []
    found = contents(await chosen(engine, PUZZLE, TOPIC))
    assert found[0] == "The checkout service timed out in November: its pool was full."


async def test_a_note_says_that_no_memory_answers_the_question(engine: Engine) -> None:
    await remember(engine, "Ben waters the tomatoes in the greenhouse.")
    memories, notes = await recalled(engine, "What did the tomatoes in the greenhouse cost?")
    assert len(memories) == 1
    assert [each[:38] for each in notes] == ["no stored memory answers this by itself"[:38]]
    assert (await recalled(engine, OTHER))[1] == []
    assert (await recalled(engine, "The tomatoes in the greenhouse need water."))[1] == []


async def test_of_a_long_memory_the_nearest_sentences_are_shown(engine: Engine) -> None:
    filler = "Nothing is known of the weather on that day, whatever anybody says about it. " * 80
    await remember(
        engine, f"{filler} The checkout service timed out in November: its pool was full."
    )
    (found,) = contents(await chosen(engine))
    assert found.endswith("its pool was full.")
    assert estimate_tokens(found) <= engine.loom.settings.context_tokens // 4


async def test_of_near_copies_the_fuller_is_shown(engine: Engine) -> None:
    short = "The checkout service timed out in November."
    full = "Logs: the checkout service timed out in November. The pool had nine connections."
    for session, content in (("a", short), ("b", short.upper()), ("c", full)):
        await remember(engine, content, sessionId=session)
    assert contents(await chosen(engine)) == [full]


async def test_a_replaced_memory_stands_after_its_successor_only(engine: Engine) -> None:
    old = await remember(engine, "The checkout service times out after 30 seconds in November.")
    text = "The checkout service times out after 90 seconds since November."
    new = await remember(engine, text, supersede=[old])
    first, second = await chosen(engine)
    assert "90 seconds" in first["content"]
    assert first["label"].endswith("fact]")
    assert second["label"].endswith("fact, superseded by M1]")
    await call(engine, "forget", {"memoryId": new, "userId": "local"})
    assert all("superseded" not in each["label"] for each in await chosen(engine))


async def test_a_summary_of_a_session_is_not_beside_what_it_repeats(engine: Engine) -> None:
    facts = ["The checkout service timed out in November.", "The pool of checkout was full."]
    for fact in facts:
        await call(engine, "memory_add", {"content": fact, "event_type": "fact"})
    await call(engine, "session_end", {})
    assert sorted(contents(await chosen(engine))) == sorted(facts)


@pytest.mark.parametrize("tokens", [100, 400])
async def test_all_fit_into_the_budget(access: Access, embedder: Embedder, tokens: int) -> None:
    filler = "Nothing is known of the weather on that day, whatever anybody says about it. " * 30
    llm = TellingLlm()
    async with thinking(access, embedder, llm, auto_memory=True, context_tokens=tokens) as engine:
        await remember(engine, f"{filler} The checkout service timed out: its pool was full.")
        for number in range(12):
            await remember(engine, f"The checkout service timed out on day {number} of November.")
        found = await chosen(engine)
        lines = "\n".join(f"{each['label']} {each['content']}" for each in found)
        assert estimate_tokens(lines) <= tokens
        assert not any(filler in each for each in contents(found))
        answer = await answered(engine, "linear", content=TOPIC)
    assert answer["memories_used"] == [f"mem-{each['id']}" for each in found]


@pytest.mark.parametrize("tokens", [99, 0, -1])
def test_a_budget_too_small_is_refused(tokens: int) -> None:
    with pytest.raises(SettingMistake, match="REASONLOOM_CONTEXT_TOKENS"):
        load_settings(context_tokens=tokens)
