"""Scoring a node: four parts and their mean, blind ballots, relations, and what is lost."""

from __future__ import annotations

import pytest

from reasonloom.errors import LlmUnavailable
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.similarity import similarity_of
from reasonloom.nodes.thought_graph.ballot_scoring import WEIGHTS, CastBallot, relations_by_ballots
from reasonloom.stores.access import Access
from tests.support.llms.thought_graph import GraphingLlm
from tests.support.reasoning.sessions import answered, thinking
from tests.support.reasoning.thought_graphs import begun, everything, grown

PARTS = ("relevance", "validity", "depth", "novelty")


async def test_the_score_is_the_weighted_mean_of_its_parts(mind: Engine, llm: GraphingLlm) -> None:
    llm.says["judge"] = {
        "scores": [
            {"label": "A", "reason": "Vague.", "relevance": 0.9, "validity": 0.6, "depth": 0.3}
        ]
    }
    graph, nodes = await grown(mind)
    scored = await answered(mind, "got_score", graph_id=graph, node_id=nodes[1])
    assert (scored["relevance"], scored["validity"], scored["depth"]) == (0.9, 0.6, 0.3)
    assert scored["score"] == pytest.approx(
        sum(WEIGHTS[part] * scored[part] for part in PARTS), abs=1e-3
    )
    assert sum(WEIGHTS.values()) == pytest.approx(1)
    assert scored["weights"] == WEIGHTS
    assert (scored["check"], scored["ballots"], scored["agreement"]) == ("judge", 1, None)
    assert scored["node"]["score"] == scored["score"]


async def test_novelty_is_the_distance_to_the_nearest_active_node(
    mind: Engine, embedder: Embedder
) -> None:
    graph, nodes = await grown(mind)
    scored = await answered(mind, "got_score", graph_id=graph, node_id=nodes[1])
    texts = ["Think about the harbour", "The band is loud", "Think about the violin"]
    texts.append("Think about the granite")
    likeness = await similarity_of(embedder, texts)
    nearest = max(likeness.of(texts[0], other) for other in texts[1:])
    assert scored["novelty"] == pytest.approx(1 - nearest, abs=1e-4)


async def test_the_same_question_is_put_once(mind: Engine, llm: GraphingLlm) -> None:
    graph, nodes = await grown(mind)
    await answered(mind, "got_score", graph_id=graph, node_id=nodes[1])
    assert len(llm.asked["judge"]) == 1


async def test_a_right_answer_needs_neither_depth_nor_novelty(
    mind: Engine, llm: GraphingLlm
) -> None:
    llm.says["judge"] = {
        "scores": [{"label": "A", "reason": "It holds.", "relevance": 1, "validity": 1, "depth": 0}]
    }
    graph, nodes = await grown(mind)
    scored = await answered(mind, "got_score", graph_id=graph, node_id=nodes[1])
    assert scored["score"] >= 0.95


async def test_a_ballot_shows_no_author_score_or_id(mind: Engine, llm: GraphingLlm) -> None:
    graph, nodes = await grown(mind)
    await answered(mind, "got_score", graph_id=graph, node_id=nodes[1])
    for ballot in llm.asked["judge"]:
        assert "Think about the harbour" in ballot
        for secret in (*nodes, "graphing", "0.5", "confidence"):
            assert secret not in ballot


async def test_relations_that_the_ballot_sees_become_edges(mind: Engine, llm: GraphingLlm) -> None:
    graph, nodes = await grown(mind)
    llm.relations = [
        {"label": "A", "kind": "supports", "other": "1", "why": "both are ashore"},
        {"label": "A", "kind": "supports", "other": "9", "why": "no such one"},
        {"label": "Z", "kind": "supports", "other": "1", "why": "no such one"},
    ]
    scored = await answered(mind, "got_score", graph_id=graph, node_id=nodes[1])
    assert [(edge["edge_type"], edge["weight"], edge["reason"]) for edge in scored["edges"]] == [
        ("supports", 1.0, "both are ashore")
    ]
    assert scored["edges"][0]["to_node"] in nodes[2:]


async def test_words_that_contradict_become_an_edge(mind: Engine, llm: GraphingLlm) -> None:
    llm.says["generate"] = {
        "continuations": [
            {"thought": "The city council pays for new sound walls.", "confidence": 0.5},
            {"thought": "The city council does not pay for new sound walls.", "confidence": 0.5},
        ]
    }
    graph, nodes = await grown(mind, 2)
    scored = await answered(mind, "got_score", graph_id=graph, node_id=nodes[1])
    assert [(edge["edge_type"], edge["to_node"]) for edge in scored["edges"]] == [
        ("contradicts", nodes[2])
    ]


async def test_the_words_show_what_a_thought_is(mind: Engine, llm: GraphingLlm) -> None:
    llm.says["generate"] = {
        "continuations": [
            {"thought": "Perhaps the wall is thin.", "confidence": 0.5},
            {"thought": "Therefore move the bed.", "confidence": 0.5},
            {"thought": "The bed stands at the window.", "confidence": 0.5},
        ]
    }
    graph, nodes = await grown(mind)
    found = [
        (await answered(mind, "got_score", graph_id=graph, node_id=node))["node"]["node_type"]
        for node in nodes
    ]
    assert found == ["root", "hypothesis", "conclusion", "thought"]


async def test_without_any_ballot_the_parts_are_computed_and_say_so(
    mind: Engine, llm: GraphingLlm
) -> None:
    graph, nodes = await grown(mind)
    llm.says["judge"] = LlmUnavailable("away")
    scored = await answered(mind, "got_score", graph_id=graph, node_id=nodes[1])
    assert (scored["check"], scored["validity"], scored["partial"]) == ("local check", 0.5, True)


async def test_without_a_language_model_nobody_judges(access: Access, embedder: Embedder) -> None:
    from reasonloom.llm.offline.model import OfflineModel

    async with thinking(access, embedder, OfflineModel()) as mind:
        graph = await begun(mind, "Walls of felt keep sound out.", problem="How to keep sound out?")
        scored = await answered(
            mind, "got_score", graph_id=graph["graph_id"], node_id=graph["root_node_id"]
        )
    assert (scored["check"], scored["ballots"], scored["llm"]) == ("local check", 0, "offline")
    assert scored["relevance"] > 0.3
    assert "No language model" in scored["suggestion"]


async def test_a_refused_score_changes_nothing(mind: Engine, access: Access) -> None:
    from reasonloom.errors import NodeNotFound

    graph, _ = await grown(mind)
    _, others = await grown(mind)
    before = everything(access)
    with pytest.raises(NodeNotFound):
        await answered(mind, "got_score", graph_id=graph, node_id=others[1])
    assert everything(access) == before


def test_a_relation_counts_where_most_ballots_see_it() -> None:
    seen = ["one", "supports", "two", "so"]
    ballots = [
        CastBallot(number=number, scores={}, relations=[seen] if number < 1 else [])
        for number in range(3)
    ]
    assert relations_by_ballots(ballots) == {}
    ballots[1]["relations"] = [seen]
    assert relations_by_ballots(ballots) == {("one", "supports", "two"): (2 / 3, "so")}
