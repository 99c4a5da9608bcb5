"""Merging nodes: what is stored, what was really kept, where inputs conflict, what is refused."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import pytest

from reasonloom.errors import GraphNotFound, InvalidArgument, LlmUnavailable, NodeNotFound
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.llm.offline.model import OfflineModel
from reasonloom.nodes.similarity import similarity_of
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.llms.thought_graph import CANDIDATE, GraphingLlm
from tests.support.reasoning.sessions import answered, thinking
from tests.support.reasoning.thought_graphs import everything, grown

FOAM = "Foam ear plugs take out most of the treble."
BAND = "Ask the band to stop rehearsing at ten in the evening."
FELT = "Insulate the wall with felt, which costs 400 euros."
MERGED = "Wear foam ear plugs against the treble and ask the band to stop at ten."


def continuing(*texts: str) -> dict[str, Any]:
    return {"continuations": [{"thought": text, "confidence": 0.5} for text in texts]}


def merging(
    text: str = MERGED, used: tuple[str, ...] = (), against: tuple[tuple[str, ...], ...] = ()
) -> Any:
    """Merge to `text`; inputs are named by their first words, others by a label as it stands.

    Each of `against` is an input, what it says, another input, and what that says.
    """

    def labels(message: str) -> dict[str, str]:
        return {content: label for label, content in CANDIDATE.findall(message)}

    def label(message: str, begin: str) -> str:
        return next((lab for text, lab in labels(message).items() if text.startswith(begin)), begin)

    def say(message: str) -> dict[str, Any]:
        return {
            "thought": text,
            "confidence": 0.7,
            "used": [label(message, each) for each in used],
            "conflicts": [
                {
                    "first": label(message, one), "first_says": one_says,
                    "second": label(message, other), "second_says": other_says,
                }
                for one, one_says, other, other_says in against
            ],
        }  # fmt: skip

    return say


async def three(mind: Engine, llm: GraphingLlm, *texts: str, **more: Any) -> tuple[str, list[str]]:
    """Grow a graph whose root is continued by these texts."""
    texts = texts or (FOAM, BAND, FELT)
    llm.says["generate"] = continuing(*texts)
    return await grown(mind, len(texts), **more)


async def test_nodes_of_unlike_depth_become_one_below_the_deepest(
    mind: Engine, llm: GraphingLlm, embedder: Embedder
) -> None:
    graph, nodes = await three(mind, llm)
    llm.says["generate"] = continuing("Ten is when the bar closes too.")
    made = await answered(mind, "got_generate", graph_id=graph, node_id=nodes[2], k=1)
    deep = made["nodes"][0]["id"]
    llm.says["aggregate"] = merging(used=("Foam", "Ten"))
    llm.judge = lambda text: 0.9 if text == MERGED else 0.5
    merged = await answered(mind, "got_aggregate", graph_id=graph, node_ids=[nodes[1], deep])
    node = merged["node"]
    assert (node["node_type"], node["depth"], node["content"]) == ("aggregation", 3, MERGED)
    assert (node["confidence"], node["check"], node["is_active"]) == (0.7, "judge", True)
    assert merged["node_id"] == node["id"]
    ends = [(e["from_node"], e["to_node"], e["edge_type"]) for e in merged["edges"]]
    assert ends == [(each, node["id"], "aggregates") for each in (nodes[1], deep)]
    likeness = await similarity_of(embedder, [FOAM, MERGED])
    assert merged["edges"][0]["weight"] == pytest.approx(likeness.of(FOAM, MERGED), abs=1e-4)
    state = await answered(mind, "got_state", graph_id=graph)
    assert (state["active_nodes"], state["node_count"]) == (6, 6), "the inputs stay active"


async def test_used_is_measured_and_not_only_claimed(mind: Engine, llm: GraphingLlm) -> None:
    graph, nodes = await three(mind, llm, FOAM, BAND, "Move to the suburbs by train.")
    llm.says["aggregate"] = merging(used=("Foam", "Move", "Z"))
    merged = await answered(mind, "got_aggregate", graph_id=graph, node_ids=nodes[1:])
    assert merged["used"] == nodes[1:3], "one claimed in vain is out, one kept silently is in"


async def test_claims_that_do_not_hold_are_told(mind: Engine, llm: GraphingLlm) -> None:
    graph, nodes = await three(mind, llm, FOAM, BAND, "Move to the suburbs by train.")
    llm.says["aggregate"] = merging(used=("Move", "Z"), against=(("Move", "Move", "Q", "?"),))
    outcome = await call(
        mind, "reasoning_got_aggregate", {"graph_id": graph, "node_ids": nodes[1:]}
    )
    told = " | ".join(outcome.notes)
    assert "names as used what is not found in it, by number: 4" in told
    assert "inputs that do not exist: Z, Q" in told


async def test_the_merger_is_blind_and_its_order_drawn_by_lot(
    mind: Engine, llm: GraphingLlm
) -> None:
    orders = set()
    for _ in range(8):
        graph, nodes = await three(mind, llm)
        await answered(mind, "got_aggregate", graph_id=graph, node_ids=nodes[1:])
        asked = llm.asked["aggregate"][-1]
        shown = CANDIDATE.findall(asked)
        assert [label for label, _ in shown] == ["A", "B", "C"]
        assert {text for _, text in shown} == {FOAM, BAND, FELT}
        orders.add(tuple(text for _, text in shown))
        for secret in (*nodes, "graphing", "0.5", "score", "confidence"):
            assert secret not in asked
    assert len(orders) > 1


async def test_conflicts_that_the_texts_bear_out_become_edges(
    mind: Engine, llm: GraphingLlm
) -> None:
    here, there = "The wall is thin.", "The bricks are half a metre deep."
    graph, nodes = await three(mind, llm, here, there, "The wall is not thin.")
    llm.says["aggregate"] = merging(
        against=(
            ("The bricks", "HALF a metre, deep", "The wall is thin", "is thin"),
            ("The bricks", "made of clay", "The wall is not", "is not thin"),
            ("The bricks", "The bricks", "The bricks", "half a metre"),
        )
    )
    outcome = await call(
        mind, "reasoning_got_aggregate", {"graph_id": graph, "node_ids": nodes[1:]}
    )
    merged = outcome.answer
    edges = [each for each in merged["edges"] if each["edge_type"] == "contradicts"]
    assert [(e["from_node"], e["to_node"], e["weight"]) for e in edges] == [
        (nodes[1], nodes[2], 1.0), (nodes[1], nodes[3], 0.5),
    ]  # fmt: skip
    assert edges[0]["reason"] == "“is thin” / “HALF a metre, deep”"
    assert "a conflict between nodes 3 and 4, but the words that it quotes are not in them" in (
        " ".join(outcome.notes)
    )
    assert merged["conflicts"] == [
        f"nodes 2 and 3: {edges[0]['reason']}", f"nodes 2 and 4: {edges[1]['reason']}",
    ]  # fmt: skip
    again = await answered(mind, "got_aggregate", graph_id=graph, node_ids=nodes[1:])
    assert [each["edge_type"] for each in again["edges"]] == ["aggregates"] * 3


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Rialto cooks with peanut oil.", "The Rialto does not cook with peanut oil."),
        ("Der Turm ist 330 Meter hoch.", "Der Turm ist 300 Meter hoch."),
        ("Das Rialto mag Erdnussöl.", "Das Rialto mag kein Erdnussöl."),
    ],
)
async def test_without_a_language_model_it_is_an_extract_and_says_so(
    mind: Engine, llm: GraphingLlm, access: Access, embedder: Embedder, one: str, other: str
) -> None:
    graph, nodes = await three(mind, llm, one, other)
    async with thinking(access, embedder, OfflineModel()) as plain:
        merged = await answered(plain, "got_aggregate", graph_id=graph, node_ids=nodes[1:])
    assert merged["node"]["content"].split("\n") == [one, other]
    assert merged["used"] == nodes[1:]
    assert len(merged["conflicts"]) == 1
    assert "No language model" in merged["suggestion"]


async def test_a_reply_that_is_no_json_is_the_thought(mind: Engine, llm: GraphingLlm) -> None:
    graph, nodes = await three(mind, llm)
    llm.says["aggregate"] = f"Both. {FOAM}"
    merged = await answered(mind, "got_aggregate", graph_id=graph, node_ids=nodes[1:])
    assert (merged["node"]["content"], merged["used"]) == (f"Both. {FOAM}", [nodes[1]])


async def test_a_node_is_not_merged_with_what_it_came_from(
    mind: Engine, llm: GraphingLlm, access: Access
) -> None:
    graph, nodes = await three(mind, llm)
    made = await answered(mind, "got_generate", graph_id=graph, node_id=nodes[1], k=1)
    deep = made["nodes"][0]["id"]
    before = everything(access)
    for pair in (nodes[:2], [deep, nodes[1]], [nodes[0], nodes[2], deep]):
        with pytest.raises(InvalidArgument, match="not merged with its own ancestor") as refused:
            await answered(mind, "got_aggregate", graph_id=graph, node_ids=pair)
        assert refused.value.field == "node_ids"
    assert everything(access) == before


async def test_a_merged_node_that_does_not_beat_its_best_input_gives_way_to_it(
    mind: Engine, llm: GraphingLlm
) -> None:
    llm.judge = lambda text: {FOAM: 0.4, BAND: 0.8, FELT: 0.6}.get(text, 0.7)
    graph, nodes = await three(mind, llm)
    merged = await answered(mind, "got_aggregate", graph_id=graph, node_ids=nodes[1:])
    assert (merged["accepted"], merged["preferred"]) == (False, nodes[2])
    assert merged["reason"] == (
        "3 of 3 blind ballots do not prefer the merged thought to node 3; it stays"
    )
    assert (merged["node"]["is_active"], merged["node"]["replaced_by"]) == (False, nodes[2])
    state = await answered(mind, "got_state", graph_id=graph)
    assert (state["active_nodes"], state["best_node_id"]) == (4, nodes[2])
    with pytest.raises(InvalidArgument, match=nodes[2]):
        await answered(mind, "got_generate", graph_id=graph, node_id=merged["node_id"])


async def test_a_merged_node_is_held_against_the_best_of_inputs_that_were_scored(
    mind: Engine, llm: GraphingLlm
) -> None:
    llm.judge = lambda text: {FOAM: 0.4, BAND: 0.8}.get(text, 0.9)
    graph, nodes = await three(mind, llm)
    for node in nodes[1:3]:
        await answered(mind, "got_score", graph_id=graph, node_id=node)
    llm.asked.clear()
    llm.says["aggregate"] = merging()
    merged = await answered(mind, "got_aggregate", graph_id=graph, node_ids=nodes[1:3])
    shown = [[text for _, text in CANDIDATE.findall(each)] for each in llm.asked["judge"]]
    assert sorted(shown) == sorted([[BAND, MERGED], [MERGED, BAND]])
    assert (merged["accepted"], merged["preferred"]) == (True, merged["node_id"])
    assert merged["reason"] == "2 of 2 blind ballots prefer the merged thought to node 3"


async def test_what_nobody_judged_stays_and_says_so(mind: Engine, llm: GraphingLlm) -> None:
    llm.says["judge"] = LlmUnavailable("away")
    graph, nodes = await three(mind, llm)
    merged = await answered(mind, "got_aggregate", graph_id=graph, node_ids=nodes[1:])
    assert (merged["accepted"], merged["node"]["is_active"], merged["partial"]) == (
        True,
        True,
        True,
    )
    assert "not judged" in merged["reason"]


async def test_bad_input_is_refused_and_changes_nothing(
    mind: Engine, llm: GraphingLlm, access: Access
) -> None:
    graph, nodes = await three(mind, llm)
    _, others = await three(mind, llm)
    foreign, foreigns = await three(mind, llm, owner="anna")
    flat, flats = await three(mind, llm, config={"max_depth": 1})
    before = everything(access)
    unknown = str(uuid4())
    for bad in (others[1], foreigns[1], unknown, "no uuid"):
        with pytest.raises(NodeNotFound) as missing:
            await answered(mind, "got_aggregate", graph_id=graph, node_ids=[nodes[1], bad])
        assert missing.value.message == f"Node not found: {bad}"
        assert missing.value.field == "node_ids"
    for bad in (foreign, unknown):
        with pytest.raises(GraphNotFound) as gone:
            await answered(mind, "got_aggregate", graph_id=bad, node_ids=nodes[1:])
        assert gone.value.message == f"Graph not found: {bad}"
    for ids in ([nodes[1]], [], [nodes[1], nodes[1]], [nodes[1], nodes[1].upper()]):
        with pytest.raises(InvalidArgument) as refused:
            await answered(mind, "got_aggregate", graph_id=graph, node_ids=ids)
        assert refused.value.field == "node_ids"
    with pytest.raises(InvalidArgument, match="max_depth"):
        await answered(mind, "got_aggregate", graph_id=flat, node_ids=flats[1:])
    assert everything(access) == before
    assert "aggregate" not in llm.asked


async def test_where_the_llm_fails_nothing_is_stored(
    mind: Engine, llm: GraphingLlm, access: Access
) -> None:
    graph, nodes = await three(mind, llm)
    llm.says["aggregate"] = LlmUnavailable("away")
    before = everything(access)
    with pytest.raises(LlmUnavailable):
        await answered(mind, "got_aggregate", graph_id=graph, node_ids=nodes[1:])
    assert everything(access) == before


async def test_two_at_once_are_two_nodes(
    access: Access, embedder: Embedder, llm: GraphingLlm
) -> None:
    async with thinking(access, embedder, llm) as one, thinking(access, embedder, llm) as other:
        graph, nodes = await three(one, llm)
        made = await asyncio.gather(
            *(
                answered(mind, "got_aggregate", graph_id=graph, node_ids=nodes[1:])
                for mind in (one, other, one)
            )
        )
        state = await answered(one, "got_state", graph_id=graph)
    assert sorted(each["node"]["number"] for each in made) == [5, 6, 7]
    assert (state["node_count"], state["edge_types"]) == (7, {"aggregates": 9, "generates": 3})


async def test_an_input_that_is_pruned_meanwhile_stops_the_merger(
    mind: Engine, llm: GraphingLlm, access: Access
) -> None:
    graph, nodes = await three(mind, llm)
    asked, pruned = asyncio.Event(), asyncio.Event()

    async def prune() -> None:
        await asked.wait()
        await answered(mind, "got_prune", graph_id=graph, threshold=1.0)
        pruned.set()

    answer = llm.answer

    async def slow(ask: Any) -> Any:
        if "used" in (ask.schema or {})["required"]:
            asked.set()
            await pruned.wait()
        return await answer(ask)

    llm.answer = slow  # type: ignore[method-assign]
    pruning = asyncio.create_task(prune())
    with pytest.raises(InvalidArgument, match="was pruned"):
        await answered(mind, "got_aggregate", graph_id=graph, node_ids=nodes[1:])
    await pruning
    assert (await answered(mind, "got_state", graph_id=graph))["node_count"] == 4
