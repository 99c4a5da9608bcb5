"""Beginning a graph and continuing its nodes: what is stored, measured, and refused."""

from __future__ import annotations

import asyncio
from itertools import combinations
from statistics import fmean
from typing import Any
from uuid import uuid4

import pytest

from reasonloom.errors import (
    GraphNotFound,
    InvalidArgument,
    LlmUnavailable,
    NodeNotFound,
    SessionNotFound,
)
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.llm.offline.model import OfflineModel
from reasonloom.nodes.similarity import similarity_of
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.llms.thought_graph import WORDS, GraphingLlm
from tests.support.reasoning.sessions import answered, thinking
from tests.support.reasoning.thought_graphs import begun, everything, grown


async def test_a_graph_begins_with_its_root_and_its_limits(mind: Engine) -> None:
    graph = await begun(mind, problem="How to sleep?", config={"max_depth": 2})
    assert graph["config"] == {"max_depth": 2, "max_branches": 5, "prune_threshold": 0.3}
    assert graph["problem"] == "How to sleep?"
    assert graph["content"] == "The band is loud"


async def test_a_session_may_hold_several_graphs(mind: Engine) -> None:
    first = await begun(mind)
    second = await begun(mind, "Another", session_id=first["session_id"])
    assert second["session_id"] == first["session_id"]
    assert second["graph_id"] != first["graph_id"]
    made = await answered(
        mind, "got_generate", graph_id=second["graph_id"], node_id=second["root_node_id"]
    )
    assert {node["graph_id"] for node in made["nodes"]} == {second["graph_id"]}


async def test_continuations_are_nodes_below_with_edges_from_the_node(mind: Engine) -> None:
    graph = await begun(mind)
    made = await answered(
        mind, "got_generate", graph_id=graph["graph_id"], node_id=graph["root_node_id"], k=4
    )
    assert [node["content"] for node in made["nodes"]] == [
        f"Think about the {w}" for w in WORDS[:4]
    ]
    assert {(node["depth"], node["node_type"], node["check"]) for node in made["nodes"]} == {
        (1, "thought", "none")
    }
    assert [(edge["from_node"], edge["to_node"], edge["edge_type"]) for edge in made["edges"]] == [
        (graph["root_node_id"], node["id"], "generates") for node in made["nodes"]
    ]
    assert "partial" not in made


async def test_diversity_is_the_mean_distance_of_all_pairs(
    mind: Engine, embedder: Embedder
) -> None:
    graph = await begun(mind)
    made = await answered(
        mind, "got_generate", graph_id=graph["graph_id"], node_id=graph["root_node_id"]
    )
    texts = [node["content"] for node in made["nodes"]]
    likeness = await similarity_of(embedder, texts)
    wanted = fmean(1 - likeness.of(one, other) for one, other in combinations(texts, 2))
    assert made["diversity"] == pytest.approx(wanted, abs=1e-4)
    assert 0 < made["diversity"] < 1


async def test_one_continuation_has_no_diversity(mind: Engine) -> None:
    graph = await begun(mind)
    made = await answered(
        mind, "got_generate", graph_id=graph["graph_id"], node_id=graph["root_node_id"], k=1
    )
    assert made["diversity"] is None


async def test_what_is_there_already_is_asked_for_once_more(mind: Engine, llm: GraphingLlm) -> None:
    def saying(*texts: str) -> dict[str, Any]:
        return {"continuations": [{"thought": text, "confidence": 0.5} for text in texts]}

    llm.says["generate"] = [
        saying("Buy cork", "buy  CORK", "The band is loud", "Call the mayor"),
        saying("Buy cork", "Learn to dance"),
    ]
    graph = await begun(mind)
    made = await answered(
        mind, "got_generate", graph_id=graph["graph_id"], node_id=graph["root_node_id"]
    )
    told = ["Buy cork", "Call the mayor", "Learn to dance"]
    assert [node["content"] for node in made["nodes"]] == told
    assert "<siblings>\n- Buy cork\n- Call the mayor\n</siblings>" in llm.asked["generate"][1]


async def test_too_few_are_kept_and_told(mind: Engine, llm: GraphingLlm) -> None:
    one = {"continuations": [{"thought": "Buy cork", "confidence": 0.5}]}
    llm.says["generate"] = one
    graph = await begun(mind)
    made = await answered(
        mind, "got_generate", graph_id=graph["graph_id"], node_id=graph["root_node_id"]
    )
    assert len(made["nodes"]) == 1
    assert made["partial"] is True
    assert len(llm.asked["generate"]) == 2


async def test_a_reply_that_is_no_json_is_one_thought(mind: Engine, llm: GraphingLlm) -> None:
    llm.says["generate"] = "Just move out."
    graph = await begun(mind)
    made = await answered(
        mind, "got_generate", graph_id=graph["graph_id"], node_id=graph["root_node_id"], k=1
    )
    assert [(node["content"], node["confidence"]) for node in made["nodes"]] == [
        ("Just move out.", 0.8)
    ]


async def test_a_problem_given_with_the_call_counts_for_that_call(
    mind: Engine, llm: GraphingLlm
) -> None:
    graph = await begun(mind, problem="How to sleep?")
    where = {"graph_id": graph["graph_id"], "node_id": graph["root_node_id"], "k": 1}
    await answered(mind, "got_generate", **where, problem="How to dance?")
    await answered(mind, "got_generate", **where)
    problems = [each.split("<problem>\n")[1].split("\n")[0] for each in llm.asked["generate"]]
    assert problems == ["How to dance?", "How to sleep?"]


async def test_a_node_at_the_greatest_depth_is_not_continued(mind: Engine, access: Access) -> None:
    graph, nodes = await grown(mind, config={"max_depth": 1})
    before = everything(access)
    with pytest.raises(InvalidArgument, match="max_depth") as refused:
        await answered(mind, "got_generate", graph_id=graph, node_id=nodes[1])
    assert refused.value.field == "node_id"
    assert everything(access) == before


async def test_more_branches_than_the_graph_allows_are_refused(
    mind: Engine, access: Access
) -> None:
    graph, nodes = await grown(mind, 3, config={"max_branches": 4})
    before = everything(access)
    with pytest.raises(InvalidArgument, match="at most 1") as refused:
        await answered(mind, "got_generate", graph_id=graph, node_id=nodes[0], k=2)
    assert refused.value.field == "k"
    assert everything(access) == before
    await answered(mind, "got_generate", graph_id=graph, node_id=nodes[0], k=1)


async def test_without_a_number_as_many_come_as_there_is_room_for(mind: Engine) -> None:
    graph, nodes = await grown(mind, 3, config={"max_branches": 4})
    at = {"graph_id": graph, "node_id": nodes[0]}
    last = await answered(mind, "got_generate", **at)
    assert (len(last["nodes"]), "partial" in last) == (1, False)
    full = await call(mind, "reasoning_got_generate", at)
    assert full.answer["nodes"] == []
    assert any("max_branches" in note and "nothing was added" in note for note in full.notes)


async def test_offline_without_knowledge_it_is_told_why_no_node_came(
    access: Access, embedder: Embedder
) -> None:
    async with thinking(access, embedder, OfflineModel()) as plain:
        graph = await begun(plain)
        at = {"graph_id": graph["graph_id"], "node_id": graph["root_node_id"]}
        outcome = await call(plain, "reasoning_got_generate", at)
    assert outcome.answer["nodes"] == []
    assert any(note.startswith("there are no nodes: without a language") for note in outcome.notes)
    assert any(note.endswith("What continues this thought?") for note in outcome.notes)


async def test_two_calls_at_once_keep_to_the_branches_together(mind: Engine) -> None:
    graph = await begun(mind, config={"max_branches": 4})
    where = {"graph_id": graph["graph_id"], "node_id": graph["root_node_id"], "k": 3}
    calls = (answered(mind, "got_generate", **where) for _ in range(2))
    made: list[Any] = await asyncio.gather(*calls, return_exceptions=True)
    if any(isinstance(each, InvalidArgument) for each in made):  # it began after the other's end
        assert [len(each["nodes"]) for each in made if isinstance(each, dict)] == [3]
        return
    assert sorted(len(each["nodes"]) for each in made) == [1, 3]
    assert [each.get("partial") for each in sorted(made, key=lambda each: len(each["nodes"]))] == [
        True,
        None,
    ]


async def test_foreign_and_unknown_ids_answer_alike(mind: Engine, access: Access) -> None:
    graph, nodes = await grown(mind, owner="anna")
    _, others = await grown(mind)
    before = everything(access)
    unknown = str(uuid4())
    for graph_id in (graph, unknown, "no uuid"):
        with pytest.raises(GraphNotFound) as missing:
            await answered(mind, "got_generate", graph_id=graph_id, node_id=nodes[0])
        assert missing.value.message == f"Graph not found: {graph_id}"
    mine, _ = await grown(mind)
    before = everything(access)
    for node_id in (nodes[0], others[1], unknown, "no uuid"):
        with pytest.raises(NodeNotFound) as missing_node:
            await answered(mind, "got_generate", graph_id=mine, node_id=node_id)
        assert missing_node.value.message == f"Node not found: {node_id}"
    with pytest.raises(SessionNotFound):
        await begun(mind, session_id=unknown)
    assert everything(access) == before


@pytest.mark.parametrize("k", [0, 11, -1])
async def test_k_out_of_range_is_refused(mind: Engine, k: int) -> None:
    graph, nodes = await grown(mind)
    with pytest.raises(InvalidArgument) as refused:
        await answered(mind, "got_generate", graph_id=graph, node_id=nodes[1], k=k)
    assert refused.value.field == "k"


async def test_where_the_llm_fails_nothing_is_stored(
    mind: Engine, llm: GraphingLlm, access: Access
) -> None:
    graph, nodes = await grown(mind)
    llm.says["generate"] = LlmUnavailable("away")
    before = everything(access)
    with pytest.raises(LlmUnavailable):
        await answered(mind, "got_generate", graph_id=graph, node_id=nodes[1])
    assert everything(access) == before
