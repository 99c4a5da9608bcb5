"""Clusters of stored memories: what makes them, whose they are, and that they go on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text

from reasonloom.contracts.caller import Caller
from reasonloom.errors import Conflict
from reasonloom.evals.suites.memory import datasets
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.mental_models.basins.formation import form_basins, persist_basins
from reasonloom.stores.mental_models import basins
from tests.support.memory.clusters import about, cluster, near, store

TOPICS = ("dog", "database", "kitchen", "собака", "音楽", "café")
OWNER = Caller("local")
PEOPLE = Path(datasets.__file__).parent / "people" / "memories.jsonl"


async def members(engine: Engine, owner: str = "local") -> dict[UUID, dict[int, float]]:
    async with engine.loom.database.begin(Caller(owner)) as tx:
        return await basins.members(tx)


async def change(engine: Engine, statement: str, **values: Any) -> None:
    async with engine.loom.database.begin(OWNER) as tx:
        await tx.run(text(statement), values)


async def fill(engine: Engine, count: int = 7, owner: str = "local") -> dict[str, list[int]]:
    return {topic: await store(engine, about(topic, count), owner=owner) for topic in TOPICS}


async def test_topics_of_six_scripts_become_clusters_with_their_own_words(engine: Engine) -> None:
    stored = await fill(engine)
    outcome = await cluster(engine)
    found = outcome.answer["basins"]
    held = await members(engine)
    for topic, ids in stored.items():
        homes = {basin for basin, inside in held.items() if set(ids) & inside.keys()}
        assert len(homes) == 1, topic
    words = {word for each in found for word in each["keywords"]}
    assert {"dog", "database", "собака", "café"} <= words
    assert not words & {"the", "with", "в", "le", "est", "la"}
    assert all(each["namedBy"] == "terms" and each["name"] for each in found)
    assert all(0 < how <= 1 for inside in held.values() for how in inside.values())
    assert all(0 < each["coherence"] <= 1 for each in found)


async def test_the_same_again_changes_nothing(engine: Engine) -> None:
    await fill(engine)
    first = (await cluster(engine)).answer
    before = await members(engine)
    second = (await cluster(engine)).answer
    assert await members(engine) == before
    assert not any(each["fresh"] for each in second["basins"])
    assert [each["id"] for each in second["basins"]] == [each["id"] for each in first["basins"]]
    assert second["vanished"] == []


async def test_a_tenth_more_leaves_most_identities_and_their_names(engine: Engine) -> None:
    contents = [json.loads(line)["content"] for line in PEOPLE.read_text("utf-8").splitlines()]
    await store(engine, contents[: len(contents) * 10 // 11])
    first = {each["id"]: each["name"] for each in (await cluster(engine)).answer["basins"]}
    await store(engine, contents[len(contents) * 10 // 11 :])
    second = {each["id"]: each["name"] for each in (await cluster(engine)).answer["basins"]}
    stayed = first.keys() & second.keys()
    assert len(first) >= 5
    assert len(stayed) >= 0.7 * len(first)
    assert sum(first[each] == second[each] for each in stayed) >= 0.8 * len(stayed)


async def test_a_dry_run_changes_nothing(engine: Engine) -> None:
    await fill(engine)
    outcome = await cluster(engine, dry_run=True)
    assert outcome.answer["basins"] and outcome.answer["dryRun"]
    assert await members(engine) == {}


async def test_two_owners_share_nothing(engine: Engine) -> None:
    mine = await store(engine, about("dog"))
    await store(engine, [*about("database"), *about("kitchen")])
    theirs = {
        topic: await store(engine, about(topic), owner="other") for topic in ("café", "音楽", "dog")
    }
    await cluster(engine)
    await cluster(engine, owner="other")
    held, other = await members(engine), await members(engine, "other")
    assert held and other and not held.keys() & other.keys()
    assert {one for inside in held.values() for one in inside} >= set(mine)
    assert {one for inside in other.values() for one in inside} <= {
        one for ids in theirs.values() for one in ids
    }
    await cluster(engine)
    assert await members(engine, "other") == other


async def test_what_is_hidden_superseded_derived_or_unlike_is_no_member(engine: Engine) -> None:
    stored = await fill(engine)
    hidden, newer, older = stored["dog"][0], stored["dog"][1], stored["dog"][2]
    await change(engine, "UPDATE memories SET deleted_at = now() WHERE id = :id", id=hidden)
    await change(engine, "UPDATE memories SET superseded_by = :n WHERE id = :id", n=newer, id=older)
    derived = await store(engine, about("dog", 9)[7:], source_kind="derived")
    bare = await store(engine, about("kitchen", 9)[7:], model="")
    foreign = await store(engine, about("database", 9)[7:], model="another-64", vectors=near(0, 2))
    outcome = await cluster(engine)
    inside = {one for each in (await members(engine)).values() for one in each}
    assert inside >= set(stored["dog"][3:])
    assert not inside & {hidden, older, *derived, *bare, *foreign}
    assert any("4 of " in note and "reindex" in note for note in outcome.notes)


async def test_a_member_that_is_hidden_later_does_not_count(engine: Engine) -> None:
    stored = await fill(engine)
    await cluster(engine)
    await change(
        engine, "UPDATE memories SET deleted_at = now() WHERE id = :id", id=stored["dog"][0]
    )
    inside = {one for each in (await members(engine)).values() for one in each}
    assert stored["dog"][0] not in inside and stored["dog"][1] in inside


async def test_fewer_than_five_make_no_cluster(engine: Engine) -> None:
    await store(engine, about("dog", 4))
    answer = (await cluster(engine)).answer
    assert answer["basins"] == [] and answer["alone"] == answer["memories"] == 4


async def test_nothing_stored_makes_no_cluster(engine: Engine) -> None:
    answer = (await cluster(engine)).answer
    assert answer["basins"] == [] and answer["memories"] == 0


async def test_all_alike_are_one_cluster(engine: Engine) -> None:
    ids = await store(engine, [f"note {n}" for n in range(40)], vectors=[[1.0, 0.0]] * 40)
    await cluster(engine)
    (inside,) = (await members(engine)).values()
    assert set(inside) == set(ids)


async def test_what_has_nothing_in_common_belongs_to_none(engine: Engine) -> None:
    apart = [[1.0 if place == n else 0.0 for place in range(30)] for n in range(30)]
    await store(engine, [f"note {n}" for n in range(30)], vectors=apart)
    answer = (await cluster(engine)).answer
    assert answer["basins"] == [] and answer["alone"] == 30


async def test_a_cluster_that_vanishes_is_told(engine: Engine) -> None:
    stored = await fill(engine)
    first = (await cluster(engine)).answer
    gone = {basin for basin, each in (await members(engine)).items() if stored["dog"][0] in each}
    everything = [one for basin in gone for one in (await members(engine))[basin]]
    await change(engine, "UPDATE memories SET deleted_at = now() WHERE id = ANY(:ids)",
                 ids=everything)  # fmt: skip
    second = (await cluster(engine)).answer
    assert {UUID(each) for each in second["vanished"]} == gone
    assert {each["id"] for each in second["basins"]} < {each["id"] for each in first["basins"]}


async def test_two_formings_at_once_leave_one_whole(engine: Engine) -> None:
    await fill(engine)
    loom = engine.loom
    late = await form_basins(loom, OWNER, loom.clock())
    await cluster(engine)
    before = await members(engine)
    with pytest.raises(Conflict):
        async with loom.database.begin(OWNER) as tx:
            await persist_basins(tx, late)
    assert await members(engine) == before


async def test_of_many_a_sample_is_clustered_and_the_rest_joins(engine: Engine) -> None:
    for direction in range(4):
        await store(
            engine,
            [f"topic {direction} note {n}" for n in range(60)],
            vectors=near(direction * 13, 60),
        )
    formed = await form_basins(engine.loom, OWNER, engine.loom.clock(), sample=80)
    assert (formed.sampled, formed.memories) == (80, 240)
    assert len(formed.basins) >= 4
    for inside in formed.members.values():
        assert len({(one - 1) // 60 for one in inside}) == 1
    assert sum(len(inside) for inside in formed.members.values()) > 80
    assert formed.alone == 240 - sum(len(inside) for inside in formed.members.values())
