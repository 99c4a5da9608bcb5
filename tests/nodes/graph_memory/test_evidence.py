"""memory_evidence: nodes with their edges, bounded; read-your-writes; nothing of others."""

from __future__ import annotations

from typing import Any

import pytest

from reasonloom.compose import open_engine
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.port import Embedder
from reasonloom.nodes.graph_memory.evidence import MOST_EDGES
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.memory.graph import plant
from tests.support.memory.graph_memory import add

HUB = 50_000
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
    plant(access, (1_000, 999 + HUB), statements=(UNCHECKED, EDGES.format(hub=hub)))
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
