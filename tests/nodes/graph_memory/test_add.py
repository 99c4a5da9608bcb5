"""`memory_add`: a node with its edges, all or nothing, in the chain of its session."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from reasonloom.compose import open_engine
from reasonloom.errors import InvalidArgument, NodeNotFound
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.support.calls import call, recalled, remember
from tests.support.memory.graph import add, query

COUNTS = "SELECT (SELECT count(*) FROM memories), (SELECT count(*) FROM edges)"
CHAIN = "SELECT source_id, target_id FROM edges WHERE type = 'temporal_next' ORDER BY source_id"
DRAWN = (
    "SELECT source_id, target_id, type, weight, origin FROM edges "
    "WHERE type <> 'temporal_next' ORDER BY target_id, type"
)


async def added(engine: Engine, **arguments: object) -> dict[str, object]:
    return (await call(engine, "memory_add", dict(arguments))).answer


async def test_the_answer_is_the_references(engine: Engine) -> None:
    first = await add(engine, "The ferry leaves at six.")
    answer = await added(
        engine,
        event_type="decision",
        content="We take the ferry.",
        edges=[{"target_id": first, "edge_type": "caused_by", "weight": 0.5}],
    )
    assert answer == {
        "node_id": 2,
        "event_type": "decision",
        "edges_created": 1,
        "session_id": 1,
        "deduplicated": False,
    }


async def test_what_is_added_is_recalled_and_what_is_remembered_is_a_node(engine: Engine) -> None:
    node = await add(engine, "Der Schlüssel liegt unter dem grünen Topf.")
    memory = await remember(engine, "The green pot was a gift of Zoë.")
    assert (await recalled(engine, "Schlüssel"))[0].startswith("Der Schlüssel")
    linked = await add(engine, "Zoë knows where the key is.", (int(memory[4:]), "derived_from"))
    assert (node, memory, linked) == (1, "mem-2", 3)


@pytest.mark.parametrize("place", [0, 1])
async def test_an_edge_to_nowhere_leaves_no_orphan(
    engine: Engine, access: Access, place: int
) -> None:
    there = await add(engine, "The ferry leaves at six.")
    before = query(access, COUNTS)
    edges = [{"target_id": there, "edge_type": "supports"}]
    edges.insert(place, {"target_id": 99, "edge_type": "supports"})
    with pytest.raises(NodeNotFound) as error:
        await added(engine, event_type="fact", content="It is full.", edges=edges)
    assert error.value.field == f"edges.{place}.target_id"
    assert query(access, COUNTS) == before


async def test_another_owners_node_is_as_one_that_is_not_there(engine: Engine) -> None:
    foreign = await add(engine, "A secret of Ana.", owner="ana")
    await add(engine, "Mine.", owner="ben")
    with pytest.raises(NodeNotFound) as theirs:
        await call(
            engine,
            "memory_add",
            {
                "event_type": "fact",
                "content": "x",
                "edges": [{"target_id": foreign + 1, "edge_type": "supports"}],
            },
            owner="ben",
        )
    assert theirs.value.message == "Node not found: 2"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"event_type": "rumour"}, "event_type"),
        ({"event_type": "Fact"}, "event_type"),
        ({"content": ""}, "content"),
        ({"content": " \n"}, "content"),
        ({"content": "\u202e\U000e0041"}, "content"),
        ({"content": "\u200b\u200d"}, "content"),
        ({"confidence": 1.5}, "confidence"),
        ({"confidence": -0.1}, "confidence"),
        ({"confidence": "high"}, "confidence"),
        ({"edges": [{"target_id": 1, "edge_type": "knows"}]}, "edges.0.edge_type"),
        ({"edges": [{"target_id": 1, "edge_type": "supports", "weight": -5}]}, "edges.0.weight"),
        ({"edges": [{"target_id": 0, "edge_type": "supports"}]}, "edges.0.target_id"),
        ({"edges": [{"target_id": 1}]}, "edges.0.edge_type"),
        ({"edges": [{"target_id": 1, "edge_type": "supports"}] * 2}, "edges.1"),
    ],
)
async def test_what_is_wrong_is_named_and_nothing_is_stored(
    engine: Engine, access: Access, change: dict[str, object], field: str
) -> None:
    await add(engine, "The ferry leaves at six.")
    before = query(access, COUNTS)
    with pytest.raises(InvalidArgument) as error:
        await added(engine, **{"event_type": "fact", "content": "The ferry is late.", **change})
    assert error.value.field == field
    assert query(access, COUNTS) == before


async def test_only_edges_asked_for_are_counted_and_the_chain_is_drawn(
    engine: Engine, access: Access
) -> None:
    one = await add(engine, "One.")
    answer = await added(
        engine,
        event_type="inference",
        content="Two.",
        edges=[
            {"target_id": one, "edge_type": "derived_from", "weight": 0.25},
            {"target_id": one, "edge_type": "related_to"},
        ],
    )
    assert answer["edges_created"] == 2
    assert query(access, CHAIN) == [(1, 2)]
    assert query(access, DRAWN) == [
        (2, 1, "derived_from", 0.25, "memory_add"),
        (2, 1, "related_to", 1.0, "memory_add"),
    ]


async def test_the_same_fact_twice_is_one_node_that_takes_the_new_edges(engine: Engine) -> None:
    there = await add(engine, "The ferry leaves at six.")
    node = await add(engine, "We take the ferry.")
    outcome = await call(
        engine,
        "memory_add",
        {
            "event_type": "fact",
            "content": "We take  the ferry.",
            "edges": [{"target_id": there, "edge_type": "caused_by"}],
        },
    )
    assert outcome.answer["node_id"] == node
    assert outcome.answer["deduplicated"] is True
    assert outcome.answer["edges_created"] == 1
    assert any("stored before" in note for note in outcome.notes)


async def test_the_same_words_as_another_type_are_another_node(engine: Engine) -> None:
    assert await add(engine, "We take the ferry.") != await add(
        engine, "We take the ferry.", event_type="decision"
    )


async def test_a_key_makes_one_node_of_two_calls(engine: Engine, access: Access) -> None:
    arguments = {"event_type": "fact", "content": "Прибытие в шесть. 到着は六時。"}
    first = await call(engine, "memory_add", arguments, key="k")
    again = await call(engine, "memory_add", arguments, key="k")
    assert first.answer == again.answer
    assert query(access, COUNTS) == [(1, 0)]


async def test_many_writers_at_once_make_one_chain(
    engine: Engine, settings: Settings, access: Access, embedder: Embedder
) -> None:
    async with open_engine(settings, access=access, embedder=embedder) as other:
        await asyncio.gather(
            *(
                add(writer, f"Fact {number} of {name}.")
                for number in range(10)
                for name, writer in (("one", engine), ("other", other))
            )
        )
    chain = query(access, CHAIN)
    assert chain == [(number, number + 1) for number in range(1, 20)]
    assert query(access, "SELECT count(*) FROM sessions") == [(1,)]


async def test_a_restart_goes_on_with_the_session_and_the_numbers(
    settings: Settings, access: Access, embedder: Embedder, tmp_path: Path
) -> None:
    for expected in (1, 2, 3):
        async with open_engine(settings, access=access, embedder=embedder) as opened:
            assert await add(opened, f"Run {expected}.") == expected
    assert query(access, CHAIN) == [(1, 2), (2, 3)]


async def test_what_corrects_is_a_node_of_its_own_though_it_was_said_before(engine: Engine) -> None:
    said = await add(engine, "The feature flag is active.")
    denied = await add(engine, "The feature flag is inactive now.", (said, "supersedes"))
    again = await add(engine, "The feature flag is active.", (denied, "supersedes"))
    assert again not in (said, denied)
    resolved = await call(engine, "memory_resolve", {"node_id": said})
    assert resolved.answer["resolved_id"] == again
    assert (await recalled(engine, "feature flag"))[0] == "The feature flag is active."


async def test_said_again_with_another_confidence_it_takes_that(engine: Engine) -> None:
    await add(engine, "The cellar is dry.", confidence=0.2)
    await add(engine, "The cellar is dry.", confidence=0.95)
    found = (await call(engine, "memory_query", {})).answer["results"]
    assert [node["confidence"] for node in found] == [0.95]


async def test_an_edge_to_itself_is_left_out_and_said(engine: Engine) -> None:
    node = await add(engine, "The cellar is dry.")
    edge = {"target_id": node, "edge_type": "supports"}
    outcome = await call(
        engine,
        "memory_add",
        {"event_type": "fact", "content": "The cellar is dry.", "edges": [edge]},
    )
    assert outcome.answer["edges_created"] == 0
    assert f"an edge from node {node} to itself was left out" in outcome.notes
