"""`update_memory` changes what is named, and all that was made of it, or nothing at all."""

from __future__ import annotations

import asyncio
from typing import Any

import psycopg
import pytest
from sqlalchemy import text

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.errors import InternalFault, InvalidArgument, MemoryNotFound
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.memory.new_memory import estimated_tokens, keywords, salience_of
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.support.calls import call, recalled, remember
from tests.support.llms.embedders import LeavingEmbedder

ROW = text(
    "SELECT content, strength, salience, importance, keywords, tags, category, context, "
    "token_count FROM memories WHERE id = :id"
)
VECTORS = text("""
SELECT sector, model, embedding::text FROM embeddings, unnest(
    ARRAY['episodic', 'semantic', 'procedural', 'emotional', 'reflective'], ARRAY[1, 2, 4, 8, 16]
) AS each (sector, bit) WHERE memory_id = :id AND sectors & bit <> 0 ORDER BY bit
""")
LINKS = text(
    "SELECT source_id, target_id, origin FROM edges "
    "WHERE (source_id = :id OR target_id = :id) AND origin <> 'may_replace'"
)


async def update(engine: Engine, memory: str, **changes: Any) -> dict[str, Any]:
    owner = changes.pop("owner", "local")
    arguments = {"userId": owner, "memoryId": memory, **changes}
    return (await call(engine, "update_memory", arguments, owner=owner)).answer


async def rows(engine: Engine, query: Any, memory: str, owner: str = "local") -> list[Any]:
    async with engine.loom.database.begin(Caller(owner)) as tx:
        return list(await tx.all(query, {"id": int(memory.removeprefix("mem-"))}))


async def row(engine: Engine, memory: str) -> Any:
    return (await rows(engine, ROW, memory))[0]


def differing(one: Any, other: Any) -> set[str]:
    return {name for name in one._fields if getattr(one, name) != getattr(other, name)}


async def found(engine: Engine, words: str) -> list[str]:
    result = await call(engine, "search", {"userId": "local", "text": words})
    return [memory["content"] for memory in result.answer["memories"]]


async def test_new_content_renews_all_that_was_made_of_the_old(engine: Engine) -> None:
    memory = await remember(engine, "Anna likes green tea in the morning.")
    before = await rows(engine, VECTORS, memory)
    new = "Never serve coffee: it is important that Ben sleeps."
    answer = await update(engine, memory, content=new)
    assert answer == {
        "memoryId": memory,
        "embeddingsRegenerated": True,
        "connectionsUpdated": 0,
        "strength": 1.0,
        "salience": salience_of(new, 0.5),
    }
    stored = await row(engine, memory)
    assert stored.content == new
    assert stored.keywords == keywords(new)
    assert stored.token_count == estimated_tokens(new)
    assert stored.salience == salience_of(new, 0.5) > 0.5
    after = await rows(engine, VECTORS, memory)
    assert sorted(each.sector for each in after) == sorted(each.sector for each in before)
    assert len(after) == 5
    assert not {each.embedding for each in after} & {each.embedding for each in before}
    assert await found(engine, "coffee") == [new]
    assert await found(engine, "tea OR morning OR anna") == []
    assert await recalled(engine, "Who must not drink coffee?") == [new]


async def test_vectors_are_those_of_a_memory_stored_so(engine: Engine) -> None:
    metadata = {"tags": ["home"], "context": "In the kitchen", "category": "food"}
    memory = await remember(engine, "Anna likes tea.", metadata={"tags": ["other"]})
    await update(engine, memory, content="Ben should buy bread.", metadata=metadata)
    twin = await remember(engine, "Ben should buy bread.", metadata=metadata, owner="ben")
    assert await rows(engine, VECTORS, memory) == await rows(engine, VECTORS, twin, owner="ben")


async def test_what_is_not_named_stays(engine: Engine) -> None:
    given = {
        "keywords": ["leaf"], "tags": ["kitchen"], "category": "food", "context": "At home",
        "importance": 0.7,
    }  # fmt: skip
    memory = await remember(engine, "Green tea is kept in the tin.", metadata=given)
    before, vectors = await row(engine, memory), await rows(engine, VECTORS, memory)
    answer = await update(engine, memory, strength=0.25)
    assert answer["embeddingsRegenerated"] is False
    assert answer["strength"] == 0.25
    after = await row(engine, memory)
    assert differing(before, after) == {"strength"}
    assert await rows(engine, VECTORS, memory) == vectors
    await update(engine, memory, metadata={"tags": ["tin", "shelf"]})
    after = await row(engine, memory)
    assert after.tags == ["tin", "shelf"]
    assert differing(before, after) == {"strength", "tags"}
    assert await found(engine, "shelf") == [before.content]
    assert await found(engine, "kitchen") == []
    await update(engine, memory, metadata={"tags": [], "category": "drink"})
    after = await row(engine, memory)
    assert (after.tags, after.category, after.context) == ([], "drink", "At home")


async def test_a_view_that_says_something_new_is_embedded(engine: Engine) -> None:
    memory = await remember(engine, "Green tea is kept in the tin.")
    assert not (await update(engine, memory, metadata={"importance": 0.9}))["embeddingsRegenerated"]
    same = await update(engine, memory, content="Green tea is kept in the tin.")
    assert same["embeddingsRegenerated"] is False
    before = await rows(engine, VECTORS, memory)
    context = await update(engine, memory, metadata={"context": "On the boat to Oslo"})
    assert context["embeddingsRegenerated"] is True
    after = await rows(engine, VECTORS, memory)
    changed = {new.sector for new in after if new not in before}
    assert changed == {"episodic"}


async def test_salience_follows_content_and_importance_unless_given(engine: Engine) -> None:
    memory = await remember(engine, "Green tea is kept in the tin.")
    answer = await update(engine, memory, metadata={"importance": 0.9})
    assert answer["salience"] == salience_of("Green tea", 0.9)
    assert (await update(engine, memory, salience=0.123))["salience"] == 0.123
    assert (await update(engine, memory, strength=0.5))["salience"] == 0.123
    urgent = "An urgent and critical note."
    assert (await update(engine, memory, content=urgent))["salience"] == salience_of(urgent, 0.9)
    both = await update(engine, memory, content="Calm.", salience=0.3, metadata={"importance": 1.0})
    assert both["salience"] == 0.3


async def test_keywords_that_somebody_chose_are_kept(engine: Engine) -> None:
    memory = await remember(engine, "Green tea.", metadata={"keywords": ["beverage"]})
    await update(engine, memory, content="Black coffee.")
    assert (await row(engine, memory)).keywords == ["beverage"]
    assert await found(engine, "beverage") == ["Black coffee."]
    automatic = await remember(engine, "Green apples.")
    await update(engine, automatic, content="Yellow pears.", metadata={"keywords": ["fruit"]})
    assert (await row(engine, automatic)).keywords == ["fruit"]
    await update(engine, automatic, content="Red cherries.")
    assert (await row(engine, automatic)).keywords == ["fruit"]


async def test_waypoints_are_renewed(engine: Engine) -> None:
    tea = await remember(engine, "Anna likes green tea in the morning.")
    await remember(engine, "Anna likes green tea in the evening.")
    train = await remember(engine, "The last train home leaves at 22:40.")
    moving = await remember(engine, "Anna likes green tea at noon.")
    old = await rows(engine, LINKS, moving)
    assert int(tea.removeprefix("mem-")) in {link.target_id for link in old}
    answer = await update(engine, moving, content="The last train home leaves at 23:50.")
    new = [link for link in await rows(engine, LINKS, moving) if link.origin == "waypoint"]
    assert answer["connectionsUpdated"] == len(new) == 1
    assert [link.target_id for link in new] == [int(train.removeprefix("mem-"))]
    assert (await update(engine, moving, strength=0.5))["connectionsUpdated"] == 0
    assert len(await rows(engine, LINKS, moving)) == 1


async def test_links_of_another_kind_and_links_to_it_stay(engine: Engine) -> None:
    one = await remember(engine, "Anna likes green tea in the morning.")
    two = await remember(engine, "Anna likes green tea in the evening.")
    async with engine.loom.database.begin(Caller("local")) as tx:
        await tx.run(
            text(
                "INSERT INTO edges (owner, source_id, target_id, type, weight, origin) "
                "VALUES ('local', 2, 1, 'supports', 1, 'user')"
            )
        )
    await update(engine, two, content="Quarterly figures of the steel market.")
    assert [link.origin for link in await rows(engine, LINKS, two)] == ["user"]
    await remember(engine, "Anna likes green tea at noon in the morning.")
    assert 3 in {link.source_id for link in await rows(engine, LINKS, one)}
    await update(engine, one, content="Quarterly figures of the copper market.")
    assert 3 in {link.source_id for link in await rows(engine, LINKS, one)}


@pytest.mark.parametrize("memory_id", ["mem-0", "42", "mem-", "mem-9" * 30, "mem-٣", "mem-777"])
async def test_an_unknown_id_is_not_found(engine: Engine, memory_id: str) -> None:
    with pytest.raises(MemoryNotFound):
        await update(engine, memory_id, strength=0.5)


async def test_a_hidden_memory_and_a_foreign_one_are_not_found(engine: Engine) -> None:
    memory = await remember(engine, "The safe opens with 4711.")
    for foreign in ({"owner": "ben"}, {"userId": "guest"}):
        with pytest.raises(MemoryNotFound):
            await update(engine, memory, content="Overwritten.", **foreign)
    assert (await row(engine, memory)).content == "The safe opens with 4711."
    await call(engine, "forget", {"userId": "local", "memoryId": memory, "soft": True})
    with pytest.raises(MemoryNotFound):
        await update(engine, memory, content="Overwritten.")
    assert (await row(engine, memory)).content == "The safe opens with 4711."


@pytest.mark.parametrize("changes", [{}, {"metadata": {}}, {"metadata": {"tags": None}}])
async def test_a_request_that_changes_nothing_is_refused(
    engine: Engine, changes: dict[str, Any]
) -> None:
    with pytest.raises(InvalidArgument, match="content, strength, salience, metadata"):
        await update(engine, "mem-1", **changes)


async def test_twenty_updates_of_one_memory_serialise(engine: Engine) -> None:
    memory = await remember(engine, "Version start.")
    contents = [f"Version number {'abcdefghijklmnopqrst'[n] * 5} is true." for n in range(20)]
    jobs = [
        update(
            engine,
            memory,
            **(
                {"metadata": {"context": f"context {n}", "tags": [f"tag{n}"]}}
                if n % 4 == 0
                else {"content": content, "strength": n / 20}
            ),
        )
        for n, content in enumerate(contents)
    ]
    answers = await asyncio.gather(*jobs)
    assert len(answers) == 20
    stored = await row(engine, memory)
    number = contents.index(stored.content)
    assert stored.strength == number / 20
    assert stored.keywords == keywords(stored.content)
    assert stored.context.removeprefix("context ") == stored.tags[0].removeprefix("tag")
    vectors = await rows(engine, VECTORS, memory)
    assert len(vectors) == 5
    metadata = {"context": stored.context, "tags": stored.tags}
    twin = await remember(engine, stored.content, metadata=metadata, owner="ben")
    assert await rows(engine, VECTORS, twin, owner="ben") == vectors
    assert await found(engine, "version") == [stored.content]


async def test_updates_deletions_and_new_links_do_not_wait_for_each_other(engine: Engine) -> None:
    ids = [await remember(engine, f"Anna likes green tea, cup number {n}.") for n in range(12)]
    jobs: list[Any] = []
    for n, memory in enumerate(ids):
        gone = {"userId": "local", "memoryId": memory}
        jobs += [
            update(engine, memory, content=f"Anna likes black tea, cup number {n}."),
            update(engine, memory, content=f"Anna likes red tea, cup number {n}."),
            call(engine, "forget", gone) if n % 3 == 0 else update(engine, memory, strength=0.5),
        ]
    outcomes = await asyncio.gather(*jobs, return_exceptions=True)
    faults = [each for each in outcomes if isinstance(each, BaseException)]
    assert all(isinstance(fault, MemoryNotFound) for fault in faults), faults
    assert len(await recalled(engine, None, limit=50)) == 8


async def test_without_an_embedder_the_words_change_and_it_is_said(
    settings: Settings, access: Access, embedder: Embedder
) -> None:
    leaving = LeavingEmbedder(embedder)
    async with open_engine(settings, access=access, embedder=leaving) as engine:
        memory = await remember(engine, "Anna likes green tea.")
        await remember(engine, "Anna likes green tea a lot.")
        leaving.gone = True
        arguments = {"userId": "local", "memoryId": memory}
        await call(engine, "update_memory", {**arguments, "metadata": {"context": "At sea"}})
        assert len(await rows(engine, VECTORS, memory)) == 5
        new = {**arguments, "content": "Ben likes coffee."}
        outcome = await call(engine, "update_memory", new)
        assert outcome.answer["embeddingsRegenerated"] is False
        assert "dense search is off" in outcome.notes[0]
        assert await rows(engine, VECTORS, memory) == []
        assert await found(engine, "coffee") == ["Ben likes coffee."]


async def test_a_failed_update_leaves_all_as_it_was(engine: Engine, access: Access) -> None:
    memory = await remember(engine, "Anna likes green tea.")
    before = await row(engine, memory), await rows(engine, VECTORS, memory)
    await asyncio.to_thread(break_runs, access)
    with pytest.raises(InternalFault):
        await update(engine, memory, content="Ben likes coffee.", strength=0.1)
    assert (await row(engine, memory), await rows(engine, VECTORS, memory)) == before


def break_runs(access: Access) -> None:
    """Make the database refuse the row that ends a run, the last thing an update writes."""
    with psycopg.connect(access.admin) as connection:
        connection.execute("ALTER TABLE runs ADD CHECK (status <> 'done') NOT VALID")


async def test_a_repeated_key_updates_once(engine: Engine) -> None:
    memory = await remember(engine, "Anna likes green tea.")
    arguments = {"userId": "local", "memoryId": memory, "content": "Ben likes coffee."}
    first = await call(engine, "update_memory", arguments, key="k")
    await update(engine, memory, content="Carl likes water.")
    again = await call(engine, "update_memory", arguments, key="k")
    assert again.answer == first.answer
    assert (await row(engine, memory)).content == "Carl likes water."


@pytest.mark.parametrize(
    "content",
    ["Größe 🙂", "مرحبا بالعالم", "日本語の文章です", "a'b\"c\\d | & ! : * ( ) % _", "x" * 100_000],
)
async def test_any_text_replaces_any_other(engine: Engine, content: str) -> None:
    memory = await remember(engine, "Anna likes green tea.")
    await update(engine, memory, content=content, metadata={"tags": [content[:50]]})
    stored = await row(engine, memory)
    assert (stored.content, stored.tags) == (content, [content[:50]])
    assert await recalled(engine, None) == [content]
