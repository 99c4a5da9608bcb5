"""`memory_context` shows a node and what is around it, whatever joins them, and never too much."""

from __future__ import annotations

from typing import Any

import pytest

from reasonloom.compose import open_engine
from reasonloom.errors import InvalidArgument, NodeNotFound
from reasonloom.graphs.runs.call import Outcome
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.graph_memory.evidence import MOST_EDGES
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.nodes.graph_memory.test_traverse import HUB
from tests.support.calls import call, remember
from tests.support.memory.graph import add, change, plant


async def context(engine: Engine, node: int, **more: Any) -> Outcome:
    owner = more.pop("owner", "local")
    return await call(engine, "memory_context", {"node_id": node, **more}, owner=owner)


async def around(engine: Engine, node: int, **more: Any) -> list[tuple[int, int]]:
    outcome = await context(engine, node, **more)
    return [(shown["node_id"], shown["depth"]) for shown in outcome.answer["results"]]


async def test_both_ways_and_all_types_from_the_centre_on(engine: Engine, access: Access) -> None:
    edges = [(1, 2, "supports", 1), (3, 1, "part_of", 0.5), (2, 4, "temporal_next", 1)]
    plant(access, (1, 6), [*edges, (5, 4, "contradicts", 1)])
    assert await around(engine, 1) == [(1, 0), (2, 1), (4, 2), (3, 1)]
    assert await around(engine, 1, depth=1) == [(1, 0), (2, 1), (3, 1)]
    assert await around(engine, 1, depth=5) == [(1, 0), (2, 1), (4, 2), (5, 3), (3, 1)]
    assert await around(engine, 6) == [(6, 0)]
    outcome = await context(engine, 1, depth=1)
    assert set(outcome.answer) == {"results", "edges", "count", "truncated"}
    assert [(e["source_id"], e["target_id"]) for e in outcome.answer["edges"]] == [(1, 2), (3, 1)]


@pytest.mark.parametrize("depth", [0, 6, 99])
async def test_a_depth_beyond_its_bounds_is_refused(engine: Engine, depth: int) -> None:
    node = await add(engine, "A centre.")
    with pytest.raises(InvalidArgument) as told:
        await context(engine, node, depth=depth)
    assert told.value.field == "depth"


async def test_near_a_hub_the_answer_stays_small_and_says_so(
    engine: Engine, access: Access
) -> None:
    """The original answers with the entire graph."""
    plant(access, (1, 50_001), statements=HUB)
    for node, depth in ((1, 1), (2, 2), (777, 5)):
        outcome = await context(engine, node, depth=depth)
        assert outcome.answer["count"] == 101
        assert outcome.answer["results"][0]["node_id"] == node
        assert outcome.answer["truncated"] is True
        assert outcome.notes[0].startswith("more than 100 nodes can be reached")
        assert len(outcome.answer["edges"]) <= 1_000


async def test_more_edges_than_are_shown_is_said(engine: Engine, access: Access) -> None:
    edges = [
        (a, b, kind, a / 100)
        for a in range(1, 36)
        for b in range(1, 36)
        if a != b
        for kind in ("supports",)
    ]
    plant(access, (1, 35), edges)
    outcome = await context(engine, 1)
    weights = [edge["weight"] for edge in outcome.answer["edges"]]
    assert len(weights) == 1_000
    assert weights == sorted(weights, reverse=True)
    assert outcome.notes == ["more than 1000 edges join these nodes; the heaviest are shown"]
    assert outcome.answer["truncated"] is True


async def test_superseded_nodes_are_marked_and_say_why(engine: Engine) -> None:
    old = await add(engine, "Zoë wohnt in Köln.")
    corrected = {"old_node_id": old, "new_content": "Zoë wohnt in 東京 🗼.", "reason": "Umzug"}
    new = (await call(engine, "memory_correct", corrected)).answer["new_node_id"]
    outcome = await context(engine, old)
    marks = {n["node_id"]: n["superseded_by"] for n in outcome.answer["results"]}
    assert marks == {old: new, new: None}
    reasons = {e["edge_type"]: e["reason"] for e in outcome.answer["edges"]}
    assert reasons == {"supersedes": "Umzug", "temporal_next": None}


async def test_what_was_remembered_is_a_node_and_what_is_hidden_is_none(
    engine: Engine, access: Access
) -> None:
    memory = await remember(engine, "Ελένη plays the oud.")
    number = int(memory.removeprefix("mem-"))
    rests = await add(engine, "Ελένη is musical.", (number, "derived_from"))
    further = await add(engine, "Ask Ελένη about the party.", (rests, "derived_from"))
    assert (number, 2) in await around(engine, further)
    assert (rests, 1) in await around(engine, further)
    await call(engine, "forget", {"userId": "local", "memoryId": f"mem-{rests}", "soft": True})
    assert await around(engine, further) == [(further, 0)]
    with pytest.raises(NodeNotFound) as told:
        await context(engine, rests)
    assert (told.value.field, str(told.value)) == ("node_id", f"Node not found: {rests}")


async def test_another_owners_nodes_are_not_there(engine: Engine, access: Access) -> None:
    plant(access, (1, 3), [(1, 2, "supports", 1), (2, 3, "supports", 1)])
    plant(access, (1, 2), [(1, 2, "supports", 1)], owner="Åsa")
    change(access, "UPDATE memories SET content = 'Åsas' WHERE owner = 'Åsa'")
    outcome = await context(engine, 1, owner="Åsa")
    assert [n["content"] for n in outcome.answer["results"]] == ["Åsas", "Åsas"]
    with pytest.raises(NodeNotFound):
        await context(engine, 3, owner="Åsa")


HUB_DEGREE = 50_000
UNCHECKED = "SET LOCAL session_replication_role = replica"
EDGES = (
    "INSERT INTO edges (owner, source_id, target_id, type, weight, origin) SELECT 'local', "
    "{hub}, n, 'related_to', 0.5, 'test' FROM generate_series(1000, 50999) n"
)


async def evidence(engine: Engine, text: str, **more: Any) -> tuple[dict[str, Any], list[str]]:
    owner = more.pop("owner", "local")
    outcome = await call(engine, "memory_evidence", {"query": text, **more}, owner=owner)
    return outcome.answer, outcome.notes


async def test_nodes_come_with_their_edges_both_ways(engine: Engine) -> None:
    cause = await add(engine, "Le pont de Besançon est fermé 🌉")
    effect = await add(engine, "The bus to Besançon takes the tunnel", (cause, "caused_by"))
    answer, _ = await evidence(engine, "Besançon")
    by_id = {each["node_id"]: each for each in answer["results"]}
    assert answer["count"] == len(answer["results"]) == 2
    for node in (cause, effect):
        edges = [e for e in by_id[node]["edges"] if e["edge_type"] == "caused_by"]
        assert [(e["source_id"], e["target_id"]) for e in edges] == [(effect, cause)]
    scores = [each["score"] for each in answer["results"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)


async def test_a_hub_gives_its_heaviest_edges_and_a_note(engine: Engine, access: Access) -> None:
    hub = await add(engine, "The harbour registry of Öland")
    plant(access, (1_000, 999 + HUB_DEGREE), statements=(UNCHECKED, EDGES.format(hub=hub)))
    heavy = await add(engine, "A tug", (hub, "related_to"))
    answer, notes = await evidence(engine, "harbour registry of Öland", max_results=1)
    (node,) = answer["results"]
    assert (node["node_id"], len(node["edges"])) == (hub, MOST_EDGES)
    assert heavy in {edge["source_id"] for edge in node["edges"]}
    assert any(f"node {hub} has more edges" in note for note in notes)


async def test_what_is_superseded_is_not_shown_but_its_edge_is(engine: Engine) -> None:
    old = await add(engine, "Музей открыт до шести")
    new = await add(engine, "Музей открыт до семи", (old, "supersedes"))
    answer, _ = await evidence(engine, "Музей открыт")
    assert [each["node_id"] for each in answer["results"]] == [new]
    assert (new, old, "supersedes") in [
        (e["source_id"], e["target_id"], e["edge_type"]) for e in answer["results"][0]["edges"]
    ]


async def test_max_results_and_owners(engine: Engine) -> None:
    for number in range(4):
        await add(engine, f"Lighthouse {number} in 東京", owner="other" if number == 3 else "local")
    answer, _ = await evidence(engine, "Lighthouse in 東京", max_results=2)
    assert answer["count"] == 2
    every, _ = await evidence(engine, "Lighthouse in 東京", max_results=50)
    assert every["count"] == 3
    nothing, _ = await evidence(engine, "Lighthouse in 東京", owner="third")
    assert nothing == {"results": [], "count": 0}


@pytest.mark.parametrize("tool", ["memory_evidence", "memory_ground", "memory_suggest"])
async def test_what_was_written_is_found_after_a_restart(
    tool: str, settings: Settings, access: Access, embedder: Embedder
) -> None:
    """The reference's index was not updated by writes: after a restart it found nothing new."""
    async with open_engine(settings, access=access, embedder=embedder) as engine:
        await add(engine, "The first fact is about kites")
    async with open_engine(settings, access=access, embedder=embedder) as engine:
        node = await add(engine, "The ferry to Ærø leaves at noon")
        text = "The ferry to Ærø leaves at noon"
        name = "claim" if tool == "memory_ground" else "query"
        answer = (await call(engine, tool, {name: text})).answer
    found = answer["evidence"] if tool == "memory_ground" else answer["results"]
    assert found[0]["node_id"] == node
    assert answer.get("status", "verified") == "verified"
