"""Defects that memory servers are known for, looked for through the tools: none is here."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from reasonloom.errors import MemoryNotFound
from reasonloom.graphs.runs.engine import Engine
from tests.support.calls import call, recalled, remember

SAFE = "The code of the safe in the office is 4711."
FACTS = (SAFE, "Ben has been a vegetarian since spring.", "The last train home leaves at 22:40.")


async def contents_of(engine: Engine, tool: str, **more: Any) -> list[str]:
    """Return the contents that `recall` or `search` shows."""
    outcome = await call(engine, tool, {"userId": "local", **more})
    return [memory["content"] for memory in outcome.answer["memories"]]


@pytest.mark.parametrize("as_spaces", [False, True])
async def test_closer_texts_of_others_starve_nobody(engine: Engine, *, as_spaces: bool) -> None:
    """Thirty others store what fits the question better; the owner's own memory comes back."""
    question = "What is the code of the safe?"
    await remember(engine, SAFE)
    for number in range(30):
        other = f"user {number}"
        for content in (question, f"The code of the safe is {number}."):
            where = {"userId": other} if as_spaces else {"owner": other}
            await remember(engine, content, **where)
    assert await recalled(engine, question) == [SAFE]
    assert await recalled(engine, question, limit=1) == [SAFE]
    assert await contents_of(engine, "search", text="code AND safe") == [SAFE]


@pytest.mark.parametrize(
    "nothing",
    [
        {"text": "Kubernetes ingress configuration"},
        {"text": "the of and"},
        {"text": "safe", "minSalience": 0.99},
        {"text": "safe", "metadata": {"tags": ["none such"]}},
        {"minStrength": 1.0, "minSalience": 1.0},
        {"text": "safe", "dateRange": {"end": "1999-01-01T00:00:00Z"}},
    ],
)
async def test_nothing_that_passes_is_an_empty_list(
    engine: Engine, nothing: dict[str, Any]
) -> None:
    """No filter is dropped because it left nothing over."""
    for fact in FACTS:
        await remember(engine, fact)
    for tool in ("recall", "search"):
        outcome = await call(engine, tool, {"userId": "local", **nothing})
        assert outcome.answer["memories"] == []
        assert outcome.answer["totalCount"] == 0


@pytest.mark.parametrize("tool", ["recall", "search"])
@pytest.mark.parametrize("text", [{"text": "tea"}, {}])
async def test_a_filter_alone_changes_the_answer(
    engine: Engine, tool: str, text: dict[str, str]
) -> None:
    """Asked in turn within one process, each answer is that of its own filters."""
    one = await remember(
        engine, "Green tea.", metadata={"importance": 1.0, "tags": ["a"], "category": "x"}
    )
    two = await remember(
        engine, "Black tea.", primarySector="episodic",
        metadata={"importance": 0.0, "tags": ["b"], "keywords": ["k"]},
    )  # fmt: skip
    weak = {"userId": "local", "memoryId": two, "strength": 0.3}
    await call(engine, "update_memory", weak)
    both, first, second = {"Green tea.", "Black tea."}, {"Green tea."}, {"Black tea."}
    asked: list[tuple[dict[str, Any], set[str]]] = [
        ({"minSalience": 0.2}, both),
        ({"minSalience": 0.5}, first),
        ({"minStrength": 0.1}, both),
        ({"minStrength": 0.9}, first),
        ({"primarySector": "episodic"}, second),
        ({"metadata": {"tags": ["b"]}}, second),
        ({"metadata": {"category": "x"}}, first),
        ({"metadata": {"keywords": ["k"]}}, second),
        ({"dateRange": {"start": "2000-01-01T00:00:00Z"}}, both),
        ({"dateRange": {"start": "2990-01-01T00:00:00Z"}}, set()),
    ]
    for _ in range(2):
        for filters, expected in asked:
            assert set(await contents_of(engine, tool, **text, **filters)) == expected
    assert one != two


async def test_what_is_softly_deleted_is_in_no_tool(engine: Engine) -> None:
    ids = [await remember(engine, fact) for fact in FACTS]
    gone = {"userId": "local", "memoryId": ids[0]}
    await call(engine, "forget", {**gone, "soft": True})
    for tool in ("recall", "search"):
        for more in ({}, {"text": "safe"}, {"text": "4711"}, {"text": SAFE}, {"minStrength": 0.0}):
            assert SAFE not in await contents_of(engine, tool, **more)
    with pytest.raises(MemoryNotFound):
        await call(engine, "forget", {**gone, "soft": True})
    with pytest.raises(MemoryNotFound):
        await call(engine, "update_memory", {**gone, "strength": 1.0})
    thought = await call(engine, "reasoning_linear", {"content": "What is the code of the safe?"})
    assert "4711" not in str(thought.answer)
    near = await call(
        engine,
        "remember",
        {
            "content": SAFE.replace("office", "attic"),
            "userId": "local", "sessionId": "s", "primarySector": "semantic",
        },
    )  # fmt: skip
    assert (near.answer["linksCreated"], near.notes) == (0, [])


async def test_forty_that_store_and_ask_at_once_all_succeed(engine: Engine) -> None:
    """Forty of each kind, and some that say the same, on a pool of five connections."""
    assert engine.loom.settings.database_connections == 5
    await remember(engine, "Fact zero about tea.")
    jobs: list[Any] = []
    for number in range(40):
        jobs += [
            remember(engine, f"Fact number {number} about tea.", sessionId=f"s{number % 4}"),
            remember(engine, f"Twin number {number % 5} about coffee."),
            recalled(engine, "tea", limit=50),
        ]
    async with asyncio.timeout(60):
        done = await asyncio.gather(*jobs)
    assert all(done)
    assert len(set(done[0::3])) == 40
    assert len(set(done[1::3])) == 5
    assert len(await recalled(engine, None, limit=100)) == 46
