"""The same content again strengthens the memory that is there; nothing else is merged."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import text

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.call import Outcome
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.support.calls import call, recalled, remember
from tests.support.clock import Clock

TEA = "Green tea is kept in the tin."
STORED = text("SELECT * FROM memories ORDER BY id")
LINKS = text(
    "SELECT source_id, target_id, type, origin FROM edges WHERE type = 'related_to' ORDER BY 1, 2"
)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def engine(
    settings: Settings, access: Access, embedder: Embedder, clock: Clock
) -> AsyncIterator[Engine]:
    """An engine whose time stands still."""
    async with open_engine(settings, access=access, embedder=embedder, clock=clock) as opened:
        yield opened


async def again(engine: Engine, content: str = TEA, **more: Any) -> Outcome:
    arguments = {
        "content": content,
        "userId": "local",
        "sessionId": "a session",
        "primarySector": "semantic",
        **{name: value for name, value in more.items() if name not in ("key", "owner")},
    }
    known = {name: more[name] for name in ("key", "owner") if name in more}
    return await call(engine, "remember", arguments, **known)


async def stored(engine: Engine, query: Any = STORED) -> list[Any]:
    async with engine.loom.database.begin(Caller("local")) as tx:
        return list(await tx.all(query))


async def test_the_same_again_strengthens_and_says_so(engine: Engine, clock: Clock) -> None:
    first = await again(engine)
    assert "deduplicated" not in first.answer
    async with engine.loom.database.begin(Caller("local")) as tx:
        await tx.run(text("UPDATE memories SET strength = 0.5"))
    clock.move(hours=2)
    outcome = await again(engine)
    (memory,) = await stored(engine)
    assert outcome.answer == {
        "memoryId": first.answer["memoryId"],
        "embeddingsGenerated": 0,
        "linksCreated": 0,
        "salience": first.answer["salience"],
        "strength": memory.strength,
        "deduplicated": True,
    }
    assert outcome.notes == ["the same was stored before: mem-1 was strengthened"]
    assert memory.access_count == 1
    assert memory.last_accessed == clock.at
    assert memory.strength == pytest.approx(0.525, abs=0.001)
    assert await recalled(engine, "green tea") == [TEA]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (TEA, f"  {TEA}\n"),
        (TEA, TEA.replace(" ", "\u00a0\t\u3000 ")),
        ("Café Größe 가", "Cafe\u0301 Gro\u0308ße \u1100\u1161"),
        ("a\\'b % _ $1", "a\\'b  % _ $1"),
        ("日本語の文章です 🙂", " 日本語の文章です\u200a🙂 "),
        ("x" * 99_999, "x" * 99_999 + " "),
    ],
)
async def test_white_space_and_composition_make_no_difference(
    engine: Engine, one: str, other: str
) -> None:
    first = await again(engine, one)
    assert (await again(engine, other)).answer["memoryId"] == first.answer["memoryId"]
    (memory,) = await stored(engine)
    assert memory.content == one


@pytest.mark.parametrize(
    "different",
    [
        {"content": TEA.lower()},
        {"content": TEA.replace(" ", "")},
        {"content": TEA + "\u200d"},
        {"sessionId": "another"},
        {"primarySector": "procedural"},
        {"userId": "guest"},
        {"owner": "ben", "userId": "ben"},
    ],
)
async def test_what_differs_is_kept_apart(engine: Engine, different: dict[str, Any]) -> None:
    await again(engine)
    outcome = await again(engine, **{"content": TEA, **different})
    assert "deduplicated" not in outcome.answer


async def test_a_day_later_it_is_a_memory_of_its_own(engine: Engine, clock: Clock) -> None:
    await again(engine)
    clock.move(hours=23, minutes=59)
    assert (await again(engine)).answer["deduplicated"]
    clock.move(minutes=2)
    outcome = await again(engine)
    assert outcome.answer["memoryId"] == "mem-2"
    assert outcome.notes == ["nearly the same as mem-1; both are kept"]


async def test_what_is_forgotten_does_not_swallow_the_new(engine: Engine) -> None:
    first = (await again(engine)).answer["memoryId"]
    await call(engine, "forget", {"userId": "local", "memoryId": first, "soft": True})
    assert (await again(engine)).answer["memoryId"] == "mem-2"
    assert await recalled(engine, "green tea") == [TEA]


async def test_a_thought_is_never_merged_into(engine: Engine) -> None:
    await again(engine)
    async with engine.loom.database.begin(Caller("local")) as tx:
        await tx.run(text("UPDATE memories SET source_kind = 'derived'"))
    assert "deduplicated" not in (await again(engine)).answer


async def test_what_was_said_beside_it_is_added(engine: Engine) -> None:
    await again(engine, metadata={"tags": ["home", "tea"], "importance": 0.4, "context": "Oslo"})
    more = {
        "tags": ["tea", "shelf"], "keywords": ["leaf"], "importance": 0.9, "category": "food",
        "context": "Rome",
    }  # fmt: skip
    outcome = await again(engine, metadata=more)
    (memory,) = await stored(engine)
    assert memory.tags == ["home", "tea", "shelf"]
    assert set(memory.keywords) == {"green", "kept", "leaf"}
    assert (memory.importance, memory.category, memory.context) == (0.9, "food", "Oslo")
    assert memory.salience == outcome.answer["salience"] == pytest.approx(0.7)
    await again(engine, metadata={"importance": 0.1})
    (memory,) = await stored(engine)
    assert (memory.importance, memory.salience) == (0.9, pytest.approx(0.7))
    assert await recalled(engine, None, metadata={"tags": ["shelf"]}) == [TEA]
    found = await call(engine, "search", {"userId": "local", "text": "leaf AND shelf"})
    assert found.answer["totalCount"] == 1


async def test_a_repeated_key_strengthens_once(engine: Engine) -> None:
    await again(engine)
    first = await again(engine, key="k")
    second = await again(engine, key="k")
    assert (first.answer, first.run_id) == (second.answer, second.run_id)
    (memory,) = await stored(engine)
    assert memory.access_count == 1


async def test_twins_at_once_are_one(
    engine: Engine, settings: Settings, access: Access, embedder: Embedder, clock: Clock
) -> None:
    async with open_engine(settings, access=access, embedder=embedder, clock=clock) as other:
        contents = [f"Fact {'abcdefgh'[n]} of the tea." for n in range(8)]
        jobs = [
            again(each, content)
            for _ in range(3)
            for content in contents
            for each in (engine, other)
        ]
        outcomes = await asyncio.gather(*jobs)
    rows = await stored(engine)
    assert sorted(row.content for row in rows) == contents
    assert [row.access_count for row in rows] == [5] * 8
    assert sum("deduplicated" not in outcome.answer for outcome in outcomes) == 8
    async with engine.loom.database.begin(Caller("local")) as tx:
        (owner,) = await tx.all(text("SELECT last_memory, memory_count FROM owners"))
    assert (owner.last_memory, owner.memory_count) == (8, 8)


async def test_near_duplicates_are_kept_linked_and_named(engine: Engine) -> None:
    await again(engine, "The last train home leaves the station at 22:40.")
    outcome = await again(engine, "The last train home leaves the station at 22:50.")
    assert outcome.notes[0] == "nearly the same as mem-1; both are kept"
    assert outcome.answer["linksCreated"] == 1
    assert await stored(engine, LINKS) == [(2, 1, "related_to", "near_duplicate")]
    far = await again(engine, "Ben has been a vegetarian since spring.")
    assert (far.notes, far.answer["linksCreated"]) == ([], 0)


async def test_changing_into_the_same_content_merges_nothing(engine: Engine) -> None:
    await again(engine)
    other = await remember(engine, "Ben has been a vegetarian since spring.")
    arguments = {"userId": "local", "memoryId": other, "content": TEA}
    outcome = await call(engine, "update_memory", arguments)
    assert (outcome.answer["memoryId"], outcome.notes) == (other, [])
    assert [row.content for row in await stored(engine)] == [TEA, TEA]
