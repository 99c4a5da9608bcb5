"""Refining a node: the refinement competes with its parent, and blind ballots decide."""

from __future__ import annotations

import re

import pytest

from reasonloom.errors import InvalidArgument, LlmUnavailable
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.access import Access
from tests.support.llms.thought_graph import GraphingLlm
from tests.support.reasoning.sessions import answered
from tests.support.reasoning.thought_graphs import everything, grown


def for_refined(text: str) -> float:
    return 0.9 if "walnuts" in text else 0.4


def against_refined(text: str) -> float:
    return 0.1 if "walnuts" in text else 0.4


async def test_a_better_refinement_takes_its_parents_place(mind: Engine, llm: GraphingLlm) -> None:
    llm.judge = for_refined
    graph, nodes = await grown(mind)
    refined = await answered(mind, "got_refine", graph_id=graph, node_id=nodes[1])
    assert refined["accepted"] is True
    assert refined["preferred"] == refined["node_id"] == refined["node"]["id"]
    assert (refined["node"]["node_type"], refined["node"]["depth"]) == ("refinement", 1)
    assert refined["node"]["is_active"] is True
    assert refined["critique"] == ["too vague"]
    assert [(edge["from_node"], edge["edge_type"]) for edge in refined["edges"]] == [
        (nodes[1], "refines")
    ]
    with pytest.raises(InvalidArgument, match=refined["node_id"]):
        await answered(mind, "got_generate", graph_id=graph, node_id=nodes[1])


async def test_a_worse_refinement_stays_but_is_inactive(mind: Engine, llm: GraphingLlm) -> None:
    llm.judge = against_refined
    graph, nodes = await grown(mind)
    refined = await answered(mind, "got_refine", graph_id=graph, node_id=nodes[1])
    assert (refined["accepted"], refined["preferred"]) == (False, nodes[1])
    assert refined["node"]["is_active"] is False
    assert refined["node"]["replaced_by"] == nodes[1]
    await answered(mind, "got_generate", graph_id=graph, node_id=nodes[1])


async def test_a_draw_leaves_what_was_there(mind: Engine) -> None:
    graph, nodes = await grown(mind)
    refined = await answered(mind, "got_refine", graph_id=graph, node_id=nodes[1])
    assert refined["accepted"] is False


async def test_the_ballots_show_both_in_both_orders(mind: Engine, llm: GraphingLlm) -> None:
    graph, nodes = await grown(mind, 5)
    for node in nodes[1:]:
        await answered(mind, "got_refine", graph_id=graph, node_id=node)
    first = [re.search(r"The band is loud\nIt says:\n(.*)", each) for each in llm.asked["judge"]]
    refined_first = sum("walnuts" in each[1] for each in first if each)
    assert (refined_first, len(llm.asked["judge"])) == (5, 10)
    for ballot in llm.asked["judge"]:
        assert "too vague" not in ballot
        assert "refine" not in ballot.replace("A refined thought", "")


async def test_the_same_words_make_no_node(mind: Engine, llm: GraphingLlm, access: Access) -> None:
    graph, nodes = await grown(mind)
    llm.refined = "think about  the Harbour"
    before = everything(access)
    refined = await answered(mind, "got_refine", graph_id=graph, node_id=nodes[1])
    assert (refined["node_id"], refined["accepted"]) == (nodes[1], False)
    assert "judge" not in llm.asked
    assert everything(access) == before


async def test_a_root_stays_active_beside_its_refinement(mind: Engine, llm: GraphingLlm) -> None:
    llm.judge = for_refined
    graph, nodes = await grown(mind)
    refined = await answered(mind, "got_refine", graph_id=graph, node_id=nodes[0])
    assert refined["accepted"] is True
    await answered(mind, "got_generate", graph_id=graph, node_id=nodes[0], k=1)


async def test_where_the_llm_fails_nothing_is_stored(
    mind: Engine, llm: GraphingLlm, access: Access
) -> None:
    graph, nodes = await grown(mind)
    llm.says["refine"] = LlmUnavailable("away")
    before = everything(access)
    with pytest.raises(LlmUnavailable):
        await answered(mind, "got_refine", graph_id=graph, node_id=nodes[1])
    assert everything(access) == before


async def test_without_ballots_the_computed_parts_decide_and_say_so(
    mind: Engine, llm: GraphingLlm
) -> None:
    graph, nodes = await grown(mind)
    llm.says["judge"] = LlmUnavailable("away")
    refined = await answered(mind, "got_refine", graph_id=graph, node_id=nodes[1])
    assert (refined["check"], refined["partial"]) == ("local check", True)
    assert "not judged" in refined["reason"]
