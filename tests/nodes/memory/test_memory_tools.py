"""The first tools do what their reference says, on a real database."""

from __future__ import annotations

import asyncio

import pytest

from reasonloom.errors import InvalidArgument, MemoryNotFound, SessionNotFound
from reasonloom.graphs.runs.engine import Engine
from tests.support.calls import call, recalled, remember


async def test_what_is_remembered_is_recalled_by_meaning_and_by_word(engine: Engine) -> None:
    await remember(engine, "The last train home leaves at 22:40.")
    await remember(engine, "Ben has been a vegetarian since spring.")
    assert (await recalled(engine, "What time is the final train?"))[0].startswith("The last train")
    assert (await recalled(engine, "vegetarian"))[0].startswith("Ben")


async def test_nothing_relevant_is_an_empty_list(engine: Engine) -> None:
    await remember(engine, "The last train home leaves at 22:40.")
    assert await recalled(engine, "Kubernetes ingress configuration") == []


async def test_soft_forgotten_memories_are_nowhere(engine: Engine) -> None:
    memory = await remember(engine, "The safe opens with 4711.")
    outcome = await call(engine, "forget", {"userId": "local", "memoryId": memory, "soft": True})
    assert outcome.answer["deletionType"] == "soft"
    assert await recalled(engine, "safe 4711") == []
    assert await recalled(engine, None) == []
    with pytest.raises(MemoryNotFound):
        await call(engine, "forget", {"userId": "local", "memoryId": memory, "soft": True})


async def test_hard_forgetting_takes_vectors_and_links_along(engine: Engine) -> None:
    await remember(engine, "Anna likes green tea in the morning.")
    memory = await remember(engine, "Anna likes green tea in the evening.")
    await call(engine, "forget", {"userId": "local", "memoryId": memory})
    assert await recalled(engine, "evening tea") == ["Anna likes green tea in the morning."]
    with pytest.raises(MemoryNotFound):
        await call(engine, "forget", {"userId": "local", "memoryId": memory})


@pytest.mark.parametrize("memory_id", ["mem-0", "42", "mem-", "mem-9" * 30, "mem-٣", "x", "mem--1"])
async def test_an_id_that_is_none_is_not_found(engine: Engine, memory_id: str) -> None:
    with pytest.raises(MemoryNotFound):
        await call(engine, "forget", {"userId": "local", "memoryId": memory_id})


async def test_filters_narrow_every_list(engine: Engine) -> None:
    await remember(engine, "Green tea is kept in the tin.", metadata={"tags": ["kitchen"]})
    await remember(engine, "Green tea was drunk yesterday.", primarySector="episodic")
    assert await recalled(engine, "green tea", metadata={"tags": ["kitchen"]}) == [
        "Green tea is kept in the tin."
    ]
    assert await recalled(engine, "green tea", primarySector="episodic") == [
        "Green tea was drunk yesterday."
    ]
    late = {"dateRange": {"start": "2090-01-01T00:00:00Z"}}
    assert await recalled(engine, "green tea", **late) == []
    assert await recalled(engine, "green tea", minSalience=0.99) == []


@pytest.mark.parametrize("text", ["green tea", None])
async def test_recall_by_sectors_keeps_to_memories_of_these(
    engine: Engine, text: str | None
) -> None:
    await remember(engine, "Green tea is kept in the tin.")
    await remember(engine, "Green tea was drunk yesterday.", primarySector="episodic")
    found = await recalled(engine, text, sectors=["episodic", "emotional"])
    assert found == ["Green tea was drunk yesterday."]
    assert len(await recalled(engine, text, sectors=["episodic", "semantic"])) == 2


async def test_pages_are_disjoint_and_whole(engine: Engine) -> None:
    for number in range(7):
        await remember(engine, f"Tea number {number} stands on the shelf.")
    pages = [await recalled(engine, "tea shelf", limit=3, offset=skip) for skip in (0, 3, 6)]
    flat = [content for page in pages for content in page]
    assert [len(page) for page in pages] == [3, 3, 1]
    assert len(set(flat)) == 7


async def test_scores_are_numbers_and_a_map(engine: Engine) -> None:
    await remember(engine, "Green tea is kept in the tin.")
    outcome = await call(engine, "recall", {"userId": "local", "text": "green tea"})
    memory = outcome.answer["memories"][0]
    assert 0 < memory["score"] <= 1
    assert outcome.answer["scores"] == {memory["id"]: memory["score"]}


async def test_recall_reinforces_after_the_answer(engine: Engine) -> None:
    await remember(engine, "Green tea is kept in the tin.")
    await engine.journal.flush()
    first = await call(engine, "recall", {"userId": "local", "text": "green tea"})
    await asyncio.sleep(0.01)
    await engine.journal.flush()
    again = await call(engine, "recall", {"userId": "local", "text": "green tea"})
    before, after = first.answer["memories"][0], again.answer["memories"][0]
    assert after["lastAccessed"] > before["lastAccessed"]
    assert after["createdAt"] == before["createdAt"]


@pytest.mark.parametrize(
    "content",
    [
        "Größe und Straße 🙂",
        "مرحبا بالعالم",
        "日本語の文章です",
        "a'b\"c\\d | & ! : * ( )",
        "x" * 100_000,
    ],
)
async def test_any_text_comes_back_as_it_was(engine: Engine, content: str) -> None:
    await remember(engine, content)
    assert await recalled(engine, None) == [content]
    await recalled(engine, content[:50])


async def test_hidden_characters_are_removed_on_write_and_reported(engine: Engine) -> None:
    fact = {
        "content": "ab\u202ecd \U000e0041tagged\u2066x",
        "userId": "local",
        "sessionId": "s",
        "primarySector": "semantic",
        "metadata": {"tags": ["\u202ehidden"]},
    }
    outcome = await call(engine, "remember", fact)
    assert outcome.notes == ["4 hidden characters (direction controls or tags) were removed"]
    found = await call(engine, "recall", {"userId": "local"})
    (memory,) = found.answer["memories"]
    assert (memory["content"], memory["metadata"]["tags"]) == ("abcd taggedx", ["hidden"])
    with pytest.raises(InvalidArgument, match="Content cannot be empty"):
        await call(engine, "remember", {**fact, "content": "\u202e\u2066"})


async def test_forty_at_once_share_five_connections(engine: Engine) -> None:
    jobs = [remember(engine, f"Fact number {number} about tea.") for number in range(40)]
    ids = await asyncio.gather(*jobs)
    assert sorted(int(each.removeprefix("mem-")) for each in ids) == list(range(1, 41))
    found = await asyncio.gather(*(recalled(engine, "tea", limit=50) for _ in range(40)))
    assert all(len(each) == 40 for each in found)


async def test_linear_goes_on_in_its_session(engine: Engine) -> None:
    await remember(engine, "The last train home leaves at 22:40.")
    first = (await call(engine, "reasoning_linear", {"content": "When is the last train?"})).answer
    assert first["previous_thought"] is None
    assert "22:40" in first["content"]
    assert first["llm"] == "offline"
    assert "REASONLOOM_LLM" in first["suggestion"]
    then = {"content": "And what then?", "session_id": first["session_id"]}
    second = (await call(engine, "reasoning_linear", then)).answer
    assert second["previous_thought"] == first["thought_id"]
    assert second["session_id"] == first["session_id"]


@pytest.mark.parametrize("session", ["nonsense", "00000000-0000-0000-0000-000000000000"])
async def test_an_unknown_session_is_an_error_and_not_made(engine: Engine, session: str) -> None:
    for _ in range(2):
        with pytest.raises(SessionNotFound):
            await call(engine, "reasoning_linear", {"content": "x", "session_id": session})


async def test_a_thought_below_its_threshold_is_tried_again_and_marked(engine: Engine) -> None:
    outcome = await call(engine, "reasoning_linear", {"content": "Why?", "confidence": 1.0})
    assert outcome.answer["below_threshold"] is True
    outcome = await call(engine, "reasoning_linear", {"content": "Why?", "confidence": 0.0})
    assert "below_threshold" not in outcome.answer


async def test_a_thought_is_kept_as_a_memory_derived_from_what_it_used(engine: Engine) -> None:
    from sqlalchemy import text

    from reasonloom.contracts.caller import Caller

    used = await remember(engine, "The last train home leaves at 22:40.")
    outcome = await call(engine, "reasoning_linear", {"content": "When is the last train?"})
    assert outcome.answer["memories_used"] == [used]
    async with engine.loom.database.begin(Caller("local")) as tx:
        edges = await tx.all(text("SELECT type, target_id FROM edges WHERE type = 'derived_from'"))
        kinds = await tx.all(text("SELECT source_kind FROM memories ORDER BY id"))
    assert [(edge.type, edge.target_id) for edge in edges] == [("derived_from", 1)]
    assert [row.source_kind for row in kinds] == ["user", "derived"]
    assert await recalled(engine, "last train") == ["The last train home leaves at 22:40."]
