"""What is told of basins: names by a language model, activation, relations, siblings."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import text

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.errors import LlmUnavailable
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.mental_models.basins.expansion import Hit, Sibling, expand
from reasonloom.nodes.mental_models.basins.relations import (
    ACTIVATION_HALF_LIFE_DAYS,
    BasinRelation,
    find_relations,
    list_basin_activity,
)
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from reasonloom.stores.memory.search.scope import Scope
from reasonloom.stores.mental_models import basins
from tests.support.llms.answering import AnsweringLlm
from tests.support.memory.clusters import cluster, near, store

OWNER = Caller("local")
EDGE = text("""
INSERT INTO edges (owner, source_id, target_id, type, weight, origin)
VALUES ('local', :source, :target, :type, :weight, 'test')
""")


async def fill(engine: Engine, count: int = 10) -> list[UUID]:
    """Store three topics of numbers 1 to 10, 11 to 20 and 21 to 30; return their basins."""
    for direction in range(3):
        await store(
            engine,
            [f"topic {direction} note {n}" for n in range(count)],
            vectors=near(direction * 13, count),
        )
    await cluster(engine)
    async with engine.loom.database.begin(OWNER) as tx:
        held = await basins.members(tx)
    homes = []
    for place in range(3):
        wanted = set(range(place * count + 1, (place + 1) * count + 1))
        best = max(held, key=lambda basin: len(wanted & held[basin].keys()))
        assert held[best].keys() <= wanted
        homes.append(best)
    return homes


async def inside(engine: Engine, basin: UUID) -> list[int]:
    async with engine.loom.database.begin(OWNER) as tx:
        return sorted((await basins.members(tx))[basin])


async def link(engine: Engine, source: int, target: int, kind: str, weight: float = 1.0) -> None:
    async with engine.loom.database.begin(OWNER) as tx:
        await tx.run(EDGE, {"source": source, "target": target, "type": kind, "weight": weight})


async def between(engine: Engine, kind: str) -> list[BasinRelation]:
    async with engine.loom.database.begin(OWNER, searching=True) as tx:
        return [each for each in await find_relations(tx) if each.kind == kind]


async def test_activation_falls_by_half_in_a_half_life_and_with_strength(engine: Engine) -> None:
    (first, *_) = await fill(engine)
    async with engine.loom.database.begin(OWNER) as tx:
        fresh = "UPDATE memories SET last_accessed = :at, decayed_at = :at, strength = 1"
        await tx.run(text(fresh), {"at": engine.loom.clock()})
    now = {each.id: each.activation for each in await list_basin_activity(engine.loom, OWNER)}
    days = ACTIVATION_HALF_LIFE_DAYS
    async with engine.loom.database.begin(OWNER) as tx:
        at: datetime = engine.loom.clock() - timedelta(days=days)
        await tx.run(text("UPDATE memories SET last_accessed = :at"), {"at": at})
    later = {each.id: each.activation for each in await list_basin_activity(engine.loom, OWNER)}
    assert 0.5 < now[first] <= 1
    assert later[first] == pytest.approx(now[first] / 2, rel=0.01)
    async with engine.loom.database.begin(OWNER) as tx:
        await tx.run(text("UPDATE memories SET strength = 0.1"))
    weak = {each.id: each.activation for each in await list_basin_activity(engine.loom, OWNER)}
    assert weak[first] == pytest.approx(later[first] / 10, rel=0.01)


async def test_links_of_cause_make_a_causal_relation_that_goes_one_way(engine: Engine) -> None:
    first, second, _ = await fill(engine)
    causes, effects = await inside(engine, first), await inside(engine, second)
    assert await between(engine, "causal") == []
    for cause, effect in zip(causes[:4], effects[:4], strict=True):
        await link(engine, effect, cause, "caused_by")
    (found,) = await between(engine, "causal")
    assert (found.source, found.target, found.edges) == (first, second, 4)
    assert 0.4 < found.strength <= 4 / 6
    for cause, effect in zip(causes[:4], effects[:4], strict=True):
        await link(engine, cause, effect, "caused_by")
    weakened = {each.source: each.strength for each in await between(engine, "causal")}
    assert weakened[first] < found.strength
    assert set(weakened) == {first, second}


async def test_order_of_time_is_temporal_and_parts_are_hierarchical(engine: Engine) -> None:
    first, second, third = await fill(engine)
    one, two, three = [await inside(engine, each) for each in (first, second, third)]
    for place in range(3):
        await link(engine, one[place], two[place], "temporal_next")
        await link(engine, three[place], one[place], "part_of")
        await link(engine, two[place], three[place], "related_to")
    (temporal,) = await between(engine, "temporal")
    assert (temporal.source, temporal.target, temporal.edges) == (first, second, 3)
    (parts,) = await between(engine, "hierarchical")
    assert (parts.source, parts.target, parts.edges) == (first, third, 3)
    assert [each.edges for each in await between(engine, "associated")] == [3]


async def test_sessions_tell_the_order_too(engine: Engine) -> None:
    first, second, _ = await fill(engine)
    one, two = await inside(engine, first), await inside(engine, second)
    async with engine.loom.database.begin(OWNER) as tx:
        for place in range(4):
            name = UUID(int=100 + place)
            await tx.run(
                text("INSERT INTO sessions (owner, id, number) VALUES ('local', :id, :number)"),
                {"id": name, "number": 900 + place},
            )
            for hours, memory in ((0, one[place]), (1, two[place])):
                await tx.run(
                    text(
                        "UPDATE memories SET session_id = :id, created_at = "
                        "CAST('2026-01-01' AS timestamptz) + :hours * interval '1 hour' "
                        "WHERE id = :memory"
                    ),
                    {"id": name, "hours": hours, "memory": memory},
                )
    (found,) = await between(engine, "temporal")
    assert (found.source, found.target, found.sessions) == (first, second, 4)
    assert found.strength == pytest.approx(4 / 6)


async def test_siblings_are_of_the_same_basin_and_never_above_their_lead(engine: Engine) -> None:
    homes = await fill(engine)
    one, two = await inside(engine, homes[0]), await inside(engine, homes[1])
    hits = [Hit(one[0], 0.8), Hit(two[0], 0.5), Hit(one[1], 0.4)]
    found = await reached(engine, hits, Scope())
    assert {each.id for each in found} <= {*one, *two} - {one[0], two[0], one[1]}
    assert 5 < len(found) <= 10
    score = {hit.id: hit.score for hit in hits}
    assert all(each.score <= score[each.lead] for each in found)
    assert {each.lead for each in found} == {one[0], two[0]}
    assert found == sorted(found, key=lambda each: (-each.score, each.id))


async def test_siblings_obey_the_scope_and_hide_what_is_hidden(engine: Engine) -> None:
    (home, *_) = await fill(engine)
    one = await inside(engine, home)
    hits = [Hit(one[0], 0.8)]
    assert await reached(engine, hits, Scope(kinds=("transcript",))) == []
    async with engine.loom.database.begin(OWNER) as tx:
        await tx.run(text("UPDATE memories SET deleted_at = now() WHERE id = :id"), {"id": one[1]})
    assert one[1] not in {each.id for each in await reached(engine, hits, Scope())}
    assert await reached(engine, hits, Scope(), owner="other") == []


async def reached(
    engine: Engine, hits: list[Hit], scope: Scope, owner: str = "local"
) -> list[Sibling]:
    async with engine.loom.database.begin(Caller(owner), searching=True) as tx:
        return await expand(tx, hits, model=engine.loom.embedder.model, scope=scope)


async def test_a_language_model_names_and_its_name_stays(
    settings: Settings, access: Access, embedder: Embedder
) -> None:
    llm = AnsweringLlm(name=[{"name": "Numbers of topics ✨"}, {"name": "Ещё записи"}])
    async with open_engine(settings, access=access, embedder=embedder, llm=llm) as engine:
        await fill(engine)
        asked = llm.counts["name"]
        outcome = await cluster(engine)
    names = {each["name"] for each in outcome.answer["basins"]}
    assert names == {"Numbers of topics ✨", "Ещё записи"}
    assert {each["namedBy"] for each in outcome.answer["basins"]} == {"answering"}
    assert asked == len(outcome.answer["basins"]) == llm.counts["name"]


async def test_a_fault_of_the_language_model_leaves_names_of_words(
    settings: Settings, access: Access, embedder: Embedder
) -> None:
    llm = AnsweringLlm(name=LlmUnavailable("away"))
    async with open_engine(settings, access=access, embedder=embedder, llm=llm) as engine:
        await fill(engine)
        outcome = await cluster(engine)
    assert {each["namedBy"] for each in outcome.answer["basins"]} == {"terms"}
    assert any("away" in note for note in outcome.notes)
    assert any("named by their words alone" in note for note in outcome.notes)
    assert llm.counts["name"] == 2
