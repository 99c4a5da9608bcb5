"""The tools of the extras: batches are whole, ids are the owner's own, pruning is careful."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reasonloom.errors import InvalidArgument, MemoryNotFound
from reasonloom.graphs.runs.engine import Engine
from tests.support.calls import call, recalled, remember
from tests.support.memory.housekeeping import rows, write

ME = {"userId": "local"}
FACT = {"content": "Green tea is in the tin.", "primarySector": "semantic"}


def batch(*contents: str, **more: Any) -> dict[str, Any]:
    items = [{"content": each, "primarySector": "semantic"} for each in contents]
    return {**ME, "sessionId": "s", "memories": items, **more}


async def answer(engine: Engine, tool: str, **arguments: Any) -> dict[str, Any]:
    return (await call(engine, tool, {**ME, **arguments})).answer


async def test_a_batch_is_stored_whole_and_found(engine: Engine) -> None:
    given = batch(*(f"Shelf {n} holds green tea." for n in range(100)))
    outcome = await call(engine, "batch_remember", given)
    assert (outcome.answer["stored"], outcome.answer["deduplicated"]) == (100, 0)
    assert [each["index"] for each in outcome.answer["memories"]] == list(range(100))
    assert len(await recalled(engine, "green tea", limit=100)) == 100
    (row,) = await rows(engine, "SELECT count(DISTINCT run_id) AS n FROM memories")
    assert row.n == 1


async def test_the_same_content_again_in_a_batch_or_before_is_strengthened(engine: Engine) -> None:
    await remember(engine, "Ben sings.", sessionId="s")
    found = await call(engine, "batch_remember", batch("Ben sings.", "Anna ran.", "Anna ran."))
    told = [(each["memoryId"], each["deduplicated"]) for each in found.answer["memories"]]
    assert told == [("mem-1", True), ("mem-2", False), ("mem-2", True)]


@pytest.mark.parametrize(
    ("item", "field"),
    [
        ({"content": " ", "primarySector": "semantic"}, "memories.2.content"),
        ({"content": "\u202e", "primarySector": "semantic"}, "memories.2.content"),
        ({"content": "x", "primarySector": "moody"}, "memories.2.primarySector"),
        ({"content": "x"}, "memories.2.primarySector"),
        ({**FACT, "metadata": {"importance": 2}}, "memories.2.metadata.importance"),
    ],
)
async def test_a_refused_item_is_named_by_its_index_and_nothing_is_stored(
    engine: Engine, item: dict[str, Any], field: str
) -> None:
    given = batch("One.", "Two.")
    given["memories"].append(item)
    with pytest.raises(InvalidArgument) as caught:
        await call(engine, "batch_remember", given)
    assert caught.value.field == field
    assert await rows(engine, "SELECT id FROM memories") == []


@pytest.mark.parametrize("count", [0, 101])
async def test_a_batch_holds_one_to_a_hundred(engine: Engine, count: int) -> None:
    with pytest.raises(InvalidArgument, match="memories"):
        await call(engine, "batch_remember", batch(*["x"] * count))


async def test_memories_are_read_by_id_in_the_order_asked_for(engine: Engine) -> None:
    await call(engine, "batch_remember", batch("One.", "Two.", "Three."))
    found = await answer(engine, "batch_recall", memoryIds=["mem-3", "mem-1", "mem-9", "x"])
    assert [memory["content"] for memory in found["memories"]] == ["Three.", "One."]
    assert found["notFound"] == ["mem-9", "x"]
    assert found["memories"][0]["provenance"]["tool"] == "batch_remember"


@pytest.mark.parametrize("foreign", [{"owner": "ben", "userId": "ben"}, {"userId": "guest"}])
async def test_a_foreign_memory_is_as_unknown_as_one_that_never_was(
    engine: Engine, foreign: dict[str, str]
) -> None:
    memory = await remember(engine, "A secret.", **foreign)
    owner = foreign.get("owner", "local")
    missing = "mem-999"
    for tool in ("batch_recall", "batch_forget"):
        found = await answer(engine, tool, memoryIds=[memory, missing])
        assert found["notFound"] == [memory, missing]
        assert "secret" not in json.dumps(found)
    gone = await answer(engine, "batch_forget", memoryIds=[memory], soft=False)
    assert gone["forgotten"] == []
    with pytest.raises(MemoryNotFound):
        await answer(engine, "restore_memory", memoryId=memory)
    arguments = {"userId": foreign["userId"], "memoryIds": [memory]}
    still = (await call(engine, "batch_recall", arguments, owner=owner)).answer
    assert [each["content"] for each in still["memories"]] == ["A secret."]


async def test_forgetting_hides_by_default_and_can_be_taken_back(engine: Engine) -> None:
    await call(engine, "batch_remember", batch("Tea one.", "Tea two.", "Tea three."))
    ids = ["mem-1", "mem-2", "nonsense"]
    dry = await answer(engine, "batch_forget", memoryIds=ids, dryRun=True)
    assert (dry["forgotten"], dry["dryRun"]) == (ids[:2], True)
    assert len(await recalled(engine, "tea")) == 3
    done = await answer(engine, "batch_forget", memoryIds=ids)
    assert (done["forgotten"], done["notFound"]) == (ids[:2], ["nonsense"])
    assert done["deletionType"] == "soft"
    assert await recalled(engine, "tea") == ["Tea three."]
    assert (await answer(engine, "batch_recall", memoryIds=ids))["memories"] == []
    await answer(engine, "restore_memory", memoryId="mem-1")
    assert sorted(await recalled(engine, "tea")) == ["Tea one.", "Tea three."]
    with pytest.raises(MemoryNotFound):
        await answer(engine, "restore_memory", memoryId="mem-1")


async def test_forgetting_for_good_is_also_out_of_what_runs_kept(engine: Engine) -> None:
    await call(engine, "batch_remember", batch("The safe opens with 4711.", "Ben sings."))
    assert "The safe opens with 4711." in await recalled(engine, "the safe opens")
    await answer(engine, "batch_forget", memoryIds=["mem-1", "mem-2"], soft=False)
    assert await rows(engine, "SELECT id FROM memories") == []
    kept = await rows(engine, "SELECT input::text, output::text FROM runs")
    assert kept
    assert "4711" not in repr(kept)
    (owner,) = await rows(engine, "SELECT memory_count FROM owners")
    assert owner.memory_count == 0


async def test_pages_of_summaries_are_disjoint_whole_and_bounded(engine: Engine) -> None:
    await call(engine, "batch_remember", batch(*(f"{n} " + "word " * 100 for n in range(30))))
    seen: list[str] = []
    more: dict[str, str] = {}
    while True:
        outcome = await call(engine, "export_memories", {**ME, "maxTokens": 500, **more})
        page = outcome.answer
        assert len(json.dumps(page, ensure_ascii=False)) / 4 < 600
        assert "vector" not in json.dumps(page)
        seen += [each["id"] for each in page["memories"]]
        if "nextCursor" not in page:
            break
        more = {"cursor": page["nextCursor"]}
    assert seen == [f"mem-{n}" for n in range(1, 31)]
    assert page["totalCount"] == 30
    with pytest.raises(InvalidArgument, match="cursor"):
        await answer(engine, "export_memories", cursor="x")


async def test_default_pruning_never_takes_what_is_fresh_or_important(engine: Engine) -> None:
    """The original deleted five of five fresh memories of importance 1.0."""
    for number in range(5):
        await remember(engine, f"Fresh {number}.", metadata={"importance": 1.0})
    done = await answer(engine, "prune_memories", dryRun=False)
    assert (done["pruned"], done["matching"]) == (0, 0)
    assert len(await recalled(engine, None)) == 5


PRUNABLE = {
    "strength": "0.05",
    "created_at": "now() - interval '200 days'",
    "last_accessed": "now() - interval '200 days'",
    "access_count": "0",
    "importance": "0.3",
    "salience": "0.3",
}


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("strength", "0.2"), ("created_at", "now()"), ("last_accessed", "now()"),
        ("access_count", "1"), ("importance", "0.9"), ("salience", "0.9"),
    ],
)  # fmt: skip
async def test_every_criterion_alone_keeps_a_memory(
    engine: Engine, column: str, value: str
) -> None:
    await remember(engine, "Kept.")
    await remember(engine, "Gone.")
    for memory_id, more in ((1, {column: value}), (2, {})):
        sets = ", ".join(f"{name} = {said}" for name, said in {**PRUNABLE, **more}.items())
        await write(engine, f"UPDATE memories SET {sets} WHERE id = {memory_id}")
    shown = await answer(engine, "prune_memories")
    assert [each["id"] for each in shown["memories"]] == ["mem-2"]
    assert (shown["pruned"], shown["dryRun"]) == (0, True)
    assert len(await recalled(engine, None)) == 2, "the preview changed something"
    done = await answer(engine, "prune_memories", dryRun=False)
    assert done["pruned"] == 1
    assert await recalled(engine, None) == ["Kept."]
    await answer(engine, "restore_memory", memoryId="mem-2")


async def test_pruning_is_bounded_and_another_owner_is_not_touched(engine: Engine) -> None:
    sets = ", ".join(f"{name} = {said}" for name, said in PRUNABLE.items())
    await call(engine, "batch_remember", batch(*(f"Fact {n}." for n in range(5))))
    await remember(engine, "Ben's.", owner="ben", userId="ben")
    from reasonloom.contracts.caller import Caller

    for caller in (Caller("local"), Caller("ben")):
        await write(engine, f"UPDATE memories SET {sets}", caller)
    done = await call(engine, "prune_memories", {**ME, "dryRun": False, "limit": 3})
    assert (done.answer["pruned"], done.answer["matching"]) == (3, 5)
    assert any("limited to 3" in note for note in done.notes)
    hidden = "SELECT count(deleted_at) AS n FROM memories"
    assert (await rows(engine, hidden, Caller("ben")))[0].n == 0


@pytest.mark.parametrize(
    "wrong", [{"maxStrength": 0.9}, {"minAgeDays": 1}, {"limit": 1000}, {"criteria": "all"}]
)
async def test_pruning_more_than_what_is_weak_and_old_is_refused(
    engine: Engine, wrong: dict[str, Any]
) -> None:
    with pytest.raises(InvalidArgument):
        await answer(engine, "prune_memories", **wrong)


async def test_health_counts_what_there_is(engine: Engine) -> None:
    await call(engine, "batch_remember", batch("One.", "Two.", "Green tea in the tin."))
    await remember(engine, "Hidden.", primarySector="episodic")
    await answer(engine, "batch_forget", memoryIds=["mem-4"])
    await write(engine, "DELETE FROM embeddings WHERE memory_id = 1")
    await write(engine, "UPDATE embeddings SET model = 'old' WHERE memory_id = 2")
    await write(engine, "UPDATE memories SET content = 'Two.', strength = 0.05 WHERE id = 1")
    await write(engine, "UPDATE memories SET created_at = now() - interval '8 days' WHERE id = 2")
    health = await answer(engine, "memory_health")
    assert (health["total"], health["hidden"], health["sessions"]) == (3, 1, 2)
    assert health["bySector"]["semantic"] == 3
    assert health["byKind"] == {"user": 3, "tool": 0, "derived": 0, "transcript": 0}
    assert (health["byAge"]["under 1 day"], health["byAge"]["7 to 30 days"]) == (2, 1)
    assert (health["weak"], health["neverRead"]) == (1, 3)
    assert (health["withoutVectors"], health["otherModels"]) == (1, {"old": 1})
    assert health["duplicates"] == {"contents": 1, "surplus": 1}
    assert health["largest"][0]["excerpt"] == "Green tea in the tin."
    assert health["bytes"] > 1000
    commands = [hint["command"] for hint in health["hints"]]
    assert "reasonloom db reindex" in commands
    empty = (await call(engine, "memory_health", {"userId": "guest"})).answer
    assert (empty["total"], empty["bytes"], empty["hints"]) == (0, 0, [])
