"""`memory_correct`: a new node that supersedes the old one everywhere, and loses nothing of it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from reasonloom.compose import open_engine
from reasonloom.errors import InvalidArgument, NodeNotFound
from reasonloom.graphs.runs.call import Outcome
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.support.calls import call, recalled, remember
from tests.support.llms.embedders import PausingEmbedder
from tests.support.memory.graph import add, change, query

OLD = "Zoë wohnt in Köln."
NEW = "Zoë wohnt in 東京 🗼."
COUNTS = (
    "SELECT (SELECT count(*) FROM memories), (SELECT count(*) FROM edges), "
    "(SELECT count(*) FROM sessions)"
)
CHAIN = "SELECT source_id, target_id FROM edges WHERE type = 'temporal_next' ORDER BY source_id"
MARKS = "SELECT id, superseded_by FROM memories WHERE owner = 'local' ORDER BY id"


async def correct(engine: Engine, old: int, content: str, **more: Any) -> Outcome:
    owner = more.pop("owner", "local")
    arguments = {"old_node_id": old, "new_content": content, **more}
    return await call(engine, "memory_correct", arguments, owner=owner)


async def found(engine: Engine, text: str) -> list[str]:
    """Return what the exact search finds."""
    outcome = await call(engine, "search", {"userId": "local", "text": text})
    return [memory["content"] for memory in outcome.answer["memories"]]


async def test_a_correction_is_a_node_of_the_old_ones_type(engine: Engine, access: Access) -> None:
    old = await add(engine, OLD, event_type="decision", confidence=0.6)
    last = await add(engine, "Сегодня дождь.")
    outcome = await correct(engine, old, NEW, confidence=0.3, reason="Umzug im März")
    assert outcome.answer == {
        "old_node_id": old,
        "new_node_id": 3,
        "reason": "Umzug im März",
        "event_type": "decision",
        "session_id": 1,
        "also_corrected_by": [],
    }
    assert outcome.notes == []
    row = "SELECT event_type, confidence, content, superseded_by FROM memories ORDER BY id"
    assert query(access, row) == [
        ("decision", 0.6, OLD, 3),
        ("fact", 0.9, "Сегодня дождь.", None),
        ("decision", 0.3, NEW, None),
    ]
    edge = (
        "SELECT source_id, target_id, weight, origin, reason, run_id IS NOT NULL FROM edges "
        "WHERE type = 'supersedes'"
    )
    assert query(access, edge) == [(3, old, 1.0, "memory_correct", "Umzug im März", True)]
    assert query(access, CHAIN) == [(old, last), (last, 3)]


async def test_defaults_are_the_references(engine: Engine, access: Access) -> None:
    old = await add(engine, OLD)
    outcome = await correct(engine, old, NEW)
    assert outcome.answer["reason"] is None
    rows = "SELECT confidence FROM memories WHERE id = %s"
    assert query(access, rows, outcome.answer["new_node_id"]) == [(0.95,)]


async def test_what_was_corrected_is_found_no_more_and_comes_back(engine: Engine) -> None:
    old = await add(engine, "The harbour office opens at eight.")
    new = (await correct(engine, old, "The harbour office opens at nine.")).answer["new_node_id"]
    only = ["The harbour office opens at nine."]
    both = [*only, "The harbour office opens at eight."]
    assert await recalled(engine, "harbour office opens") == both
    assert await recalled(engine, "when does it open at the port?", minSalience=0) == both
    assert await recalled(engine, None) == only
    assert await found(engine, "harbour") == only
    assert await found(engine, "eight") == []
    await call(engine, "forget", {"userId": "local", "memoryId": f"mem-{new}"})
    before = ["The harbour office opens at eight."]
    assert await recalled(engine, "harbour office opens") == before
    assert await found(engine, "harbour") == before


async def test_what_was_remembered_is_corrected_with_its_tags(engine: Engine) -> None:
    more = {"metadata": {"tags": ["ferry", "été"]}}
    memory = await remember(engine, "The ferry costs 12 euro.", **more)
    await correct(engine, int(memory[4:]), "The ferry costs 14 euro.")
    tagged = await recalled(engine, "ferry", metadata={"tags": ["été"]})
    assert tagged[0] == "The ferry costs 14 euro."


async def test_what_was_corrected_and_is_said_again_is_a_new_node(engine: Engine) -> None:
    old = await add(engine, "The gate is green.")
    new = (await correct(engine, old, "The gate is blue.")).answer["new_node_id"]
    again = await add(engine, "The gate is green.")
    assert len({old, new, again}) == 3
    memory = await remember(engine, "A loose stone.")
    await correct(engine, int(memory[4:]), "A tight stone.")
    assert await remember(engine, "A loose stone.") != memory


async def test_a_correction_that_says_what_is_said_elsewhere_is_a_node_of_its_own(
    engine: Engine,
) -> None:
    elsewhere = await add(engine, NEW)
    old = await add(engine, OLD)
    new = (await correct(engine, old, NEW)).answer["new_node_id"]
    assert new not in (old, elsewhere)


async def test_edges_of_the_old_node_stay_with_it(engine: Engine, access: Access) -> None:
    ground = await add(engine, "The map shows Köln.")
    old = await add(engine, OLD, (ground, "derived_from"))
    rests = await add(engine, "Send the parcel to Köln.", (old, "caused_by"))
    await correct(engine, old, NEW)
    drawn = (
        "SELECT source_id, target_id FROM edges WHERE type IN ('derived_from', 'caused_by') "
        "ORDER BY source_id"
    )
    assert query(access, drawn) == [(old, ground), (rests, old)]


async def test_corrected_again_it_tells_the_earlier_ones_and_the_newest(
    engine: Engine, access: Access
) -> None:
    old = await add(engine, "The bus is number 5.")
    first = (await correct(engine, old, "The bus is number 6.")).answer["new_node_id"]
    second = (await correct(engine, old, "The bus is number 7.")).answer["new_node_id"]
    outcome = await correct(engine, old, "The bus is number 8.")
    third = outcome.answer["new_node_id"]
    assert outcome.answer["also_corrected_by"] == [second, first]
    assert outcome.notes == [
        f"node {old} was corrected before, by {second}, {first}; node {third} is the newest "
        "and holds"
    ]
    assert dict(query(access, MARKS))[old] == third
    await call(engine, "forget", {"userId": "local", "memoryId": f"mem-{second}"})
    outcome = await correct(engine, old, "The bus is number 9.")
    assert outcome.answer["also_corrected_by"] == [third, first]


@pytest.mark.parametrize("same", [OLD, "Zoë  wohnt\tin Köln. ", "Zoe\u0308 wohnt in Ko\u0308ln."])
async def test_the_same_again_corrects_nothing(engine: Engine, access: Access, same: str) -> None:
    old = await add(engine, OLD)
    before = query(access, COUNTS)
    with pytest.raises(InvalidArgument) as told:
        await correct(engine, old, same)
    assert told.value.field == "new_content"
    assert str(told.value) == (
        f"new_content: says the same as node {old}; give what is right instead"
    )
    assert query(access, COUNTS) == before


async def test_to_go_back_the_correction_is_corrected(engine: Engine, access: Access) -> None:
    old = await add(engine, OLD)
    new = (await correct(engine, old, NEW)).answer["new_node_id"]
    with pytest.raises(InvalidArgument, match=f"to go back to it, correct node {new}"):
        await correct(engine, old, OLD)
    back = (await correct(engine, new, OLD)).answer["new_node_id"]
    assert dict(query(access, MARKS)) == {old: new, new: back, back: None}


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"new_content": ""}, "new_content"),
        ({"new_content": " \u202e "}, "new_content"),
        ({"confidence": 1.01}, "confidence"),
        ({"old_node_id": 0}, "old_node_id"),
        ({"old_node_id": "1"}, "old_node_id"),
        ({"because": "no"}, "because"),
        ({"reason": ""}, "reason"),
    ],
)
async def test_bad_arguments_store_nothing(
    engine: Engine, access: Access, arguments: dict[str, Any], field: str
) -> None:
    await add(engine, OLD)
    before = query(access, COUNTS)
    with pytest.raises(InvalidArgument) as told:
        await call(engine, "memory_correct", {"old_node_id": 1, "new_content": NEW, **arguments})
    assert told.value.field == field
    assert query(access, COUNTS) == before


async def test_unknown_hidden_derived_and_foreign_nodes_are_not_there(
    engine: Engine, access: Access
) -> None:
    for owner in ("local", "local", "local", "Åsa"):
        await add(engine, f"{OLD} {owner}", owner=owner, event_type="skill")
    await add(engine, "Hidden.")
    await add(engine, "Derived.")
    await call(engine, "forget", {"userId": "local", "memoryId": "mem-2", "soft": True})
    change(access, "UPDATE memories SET source_kind = 'derived' WHERE owner = 'local' AND id = 3")
    before = query(access, COUNTS)
    for node, owner in ((2, "local"), (3, "local"), (99, "local"), (2, "Åsa"), (1, "Ida")):
        with pytest.raises(NodeNotFound) as told:
            await correct(engine, node, NEW, owner=owner)
        assert (told.value.field, str(told.value)) == ("old_node_id", f"Node not found: {node}")
    assert query(access, COUNTS) == before


async def test_corrections_at_once_are_all_stored_and_the_newest_holds(
    settings: Settings, access: Access, embedder: Embedder
) -> None:
    async with (
        open_engine(settings, access=access, embedder=embedder) as one,
        open_engine(settings, access=access, embedder=embedder) as other,
    ):
        old = await add(one, "The code is 1000.")
        outcomes = await asyncio.gather(
            *(
                correct((one, other)[number % 2], old, f"The code is {2000 + number}.")
                for number in range(8)
            )
        )
        new = sorted(outcome.answer["new_node_id"] for outcome in outcomes)
        assert len(set(new)) == 8
        assert dict(query(access, MARKS))[old] == new[-1]
        for outcome in outcomes:
            answer = outcome.answer
            earlier = [node for node in new if node < answer["new_node_id"]]
            assert answer["also_corrected_by"] == earlier[::-1]
        resolved = await call(one, "memory_resolve", {"node_id": old})
        assert resolved.answer["resolved_id"] == new[-1]
        assert resolved.answer["branches"] == new[::-1]


async def test_a_node_that_goes_meanwhile_leaves_no_correction(
    settings: Settings, access: Access, embedder: Embedder
) -> None:
    """Corrections and removals of the same nodes at once: corrected whole or not at all."""
    async with open_engine(settings, access=access, embedder=embedder) as engine:
        nodes = [await add(engine, f"Fact number {number}.") for number in range(6)]
        outcomes = await asyncio.gather(
            *(correct(engine, node, f"Better than {node}.") for node in nodes),
            *(
                call(
                    engine, "forget", {"userId": "local", "memoryId": f"mem-{node}", "soft": False}
                )
                for node in nodes
            ),
            return_exceptions=True,
        )
    for outcome in outcomes:
        assert isinstance(outcome, Outcome | NodeNotFound), outcome
    corrected = [outcome for outcome in outcomes[:6] if isinstance(outcome, Outcome)]
    stored = query(access, "SELECT count(*) FROM memories WHERE content LIKE 'Better than%%'")
    assert stored == [(len(corrected),)]


async def test_the_newest_of_several_corrections_outdoes_the_others(engine: Engine) -> None:
    fee = await add(engine, "Сбор составляет 5 евро (fee: 5 euros).")
    six = (await correct(engine, fee, "The fee is 6 euros.")).answer["new_node_id"]
    seven = (await correct(engine, fee, "The fee is 7 euros.")).answer["new_node_id"]
    assert (await recalled(engine, "fee euros"))[0] == "The fee is 7 euros."
    of_six = (await call(engine, "memory_resolve", {"node_id": six})).answer
    assert (of_six["resolved_id"], of_six["is_latest"]) == (seven, False)
    of_fee = (await call(engine, "memory_resolve", {"node_id": fee})).answer
    assert (of_fee["resolved_id"], of_fee["branches"]) == (seven, [seven, six])
    claimed = await call(engine, "memory_ground", {"claim": "The fee is 6 euros."})
    assert claimed.answer["status"] != "verified"
    await call(engine, "forget", {"userId": "local", "memoryId": f"mem-{seven}"})
    assert (await recalled(engine, "fee euros"))[0] == "The fee is 6 euros."


async def test_what_is_forgotten_meanwhile_is_not_corrected(engine: Engine, access: Access) -> None:
    old = await add(engine, OLD)
    pausing = PausingEmbedder(engine.loom.embedder)
    engine.loom = replace(engine.loom, embedder=pausing)

    async def forget() -> None:
        change(access, "UPDATE memories SET deleted_at = now() WHERE id = %s", old)

    pausing.meanwhile = forget
    before = query(access, COUNTS)
    with pytest.raises(NodeNotFound) as told:
        await correct(engine, old, NEW)
    assert told.value.field == "old_node_id"
    assert query(access, COUNTS) == before
