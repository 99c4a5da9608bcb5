"""Pruning: cascades, previews that hold, undoing, and what could not be scored."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasonloom.errors import BudgetExceeded, GraphNotFound, InvalidArgument
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Ask, Embedder
from reasonloom.llm.offline.model import OfflineModel
from reasonloom.nodes.thought_graph.graph import ThoughtGraph
from reasonloom.nodes.thought_graph.prune import plan_pruning
from reasonloom.stores.access import Access
from reasonloom.stores.thought_graph.graph_edges import EdgeRow
from reasonloom.stores.thought_graph.graph_nodes import NodeRow
from reasonloom.stores.thought_graph.thought_graphs import GraphRow
from tests.support.calls import call
from tests.support.llms.thought_graph import GraphingLlm
from tests.support.reasoning.sessions import answered, thinking
from tests.support.reasoning.thought_graphs import everything, grown


def worth(**given: float) -> Any:
    """Judge by the last word of a thought."""
    return lambda text: given.get(text.split()[-1], 0.9)


async def tree(mind: Engine, llm: GraphingLlm, **more: Any) -> tuple[str, list[str]]:
    """Grow root -> harbour, violin; harbour -> violin2 (north), granite2 (south)."""
    graph, nodes = await grown(mind, 2, **more)
    llm.says["generate"] = {
        "continuations": [
            {"thought": f"Sail to the {word}", "confidence": 0.5} for word in ("north", "south")
        ]
    }
    owner = {"owner": more["owner"]} if "owner" in more else {}
    made = await answered(mind, "got_generate", graph_id=graph, node_id=nodes[1], k=2, **owner)
    llm.says.pop("generate")
    return graph, [*nodes, *(each["id"] for each in made["nodes"])]


async def test_low_leaves_go_and_what_only_led_to_them(mind: Engine, llm: GraphingLlm) -> None:
    llm.judge = worth(harbour=0.0, north=0.0, south=0.0)
    graph, nodes = await tree(mind, llm)
    found = await answered(mind, "got_prune", graph_id=graph)
    assert found["pruned"] == [nodes[1], *nodes[3:]]
    assert (found["remaining"], found["threshold"], found["kept_below"]) == (2, 0.3, [])
    assert found["scored"] == nodes[1:]
    assert "partial" not in found
    state = await answered(mind, "got_state", graph_id=graph)
    assert (state["active_nodes"], state["pruned_nodes"]) == (2, 3)


async def test_a_low_node_that_leads_to_a_good_one_stays(mind: Engine, llm: GraphingLlm) -> None:
    llm.judge = worth(harbour=0.0, north=0.0)
    graph, nodes = await tree(mind, llm)
    found = await answered(mind, "got_prune", graph_id=graph)
    assert (found["pruned"], found["kept_below"]) == ([nodes[3]], [nodes[1]])


async def test_a_low_node_stays_for_what_came_from_its_beaten_child(
    mind: Engine, llm: GraphingLlm
) -> None:
    llm.judge = worth(harbour=0.0, north=0.0, south=0.0, walnuts=1.0)
    graph, nodes = await tree(mind, llm)
    refined = await answered(mind, "got_refine", graph_id=graph, node_id=nodes[3])
    assert refined["accepted"] is True
    found = await answered(mind, "got_prune", graph_id=graph)
    assert nodes[1] not in found["pruned"]
    assert refined["node_id"] not in found["pruned"]


async def test_the_root_is_never_pruned_nor_scored(mind: Engine, llm: GraphingLlm) -> None:
    llm.judge = lambda text: 0.0
    graph, nodes = await tree(mind, llm)
    found = await answered(mind, "got_prune", graph_id=graph, threshold=1.0)
    assert (found["pruned"], found["remaining"]) == (nodes[1:], 1)
    assert nodes[0] not in found["scored"]


async def test_the_graphs_threshold_is_the_default(mind: Engine, llm: GraphingLlm) -> None:
    llm.judge = lambda text: 0.5
    graph, nodes = await tree(mind, llm, config={"prune_threshold": 0.9})
    found = await answered(mind, "got_prune", graph_id=graph)
    assert (found["threshold"], found["pruned"]) == (0.9, nodes[1:])


async def test_a_preview_keeps_its_scores_and_the_pruning_does_what_it_told(
    mind: Engine, llm: GraphingLlm, access: Access
) -> None:
    llm.judge = worth(harbour=0.0, north=0.0)
    graph, _ = await tree(mind, llm)
    outcome = await call(mind, "reasoning_got_prune", {"graph_id": graph, "preview": True})
    told = outcome.answer
    assert told["preview"] is True
    assert "pruning_id" not in told
    assert "nothing was pruned; the scores" in outcome.notes[-1]
    assert (await answered(mind, "got_state", graph_id=graph))["active_nodes"] == 5
    before = everything(access)
    llm.judge = lambda text: 0.0
    again = await answered(mind, "got_prune", graph_id=graph, preview=True)
    assert everything(access) == before
    done = await answered(mind, "got_prune", graph_id=graph)
    for name in ("pruned", "remaining", "kept_below", "threshold", "unscored"):
        assert told[name] == again[name] == done[name]
    assert (len(told["scored"]), again["scored"], done["scored"]) == (4, [], [])


async def test_restoring_gives_back_the_exact_rows_newest_pruning_first(
    mind: Engine, llm: GraphingLlm, access: Access
) -> None:
    llm.judge = worth(harbour=0.5, violin=0.5, north=0.0, south=0.7)
    graph, nodes = await tree(mind, llm)
    await answered(mind, "got_prune", graph_id=graph, preview=True)
    rows = [everything(access)]
    first = await answered(mind, "got_prune", graph_id=graph, threshold=0.4)
    rows.append(everything(access))
    second = await answered(mind, "got_prune", graph_id=graph, threshold=1.0)
    assert (first["pruned"], second["pruned"]) == ([nodes[3]], [nodes[1], nodes[2], nodes[4]])
    back = await answered(mind, "got_prune", graph_id=graph, restore=True)
    assert (back["restored"], back["pruned"], back["remaining"]) == (second["pruned"], [], 4)
    assert (back["pruning_id"], back["threshold"]) == (second["pruning_id"], 1.0)
    for table in ("thought_graphs", "graph_nodes", "graph_edges"):
        assert everything(access)[table] == rows[1][table]
    back = await answered(mind, "got_prune", graph_id=graph, restore=True)
    assert back["restored"] == [nodes[3]]
    for table in ("thought_graphs", "graph_nodes", "graph_edges"):
        assert everything(access)[table] == rows[0][table]
    before = everything(access)
    with pytest.raises(InvalidArgument, match="nothing to restore") as refused:
        await answered(mind, "got_prune", graph_id=graph, restore=True)
    assert refused.value.field == "restore"
    assert everything(access) == before


async def test_a_pruning_that_takes_nothing_is_none(mind: Engine, llm: GraphingLlm) -> None:
    graph, _ = await tree(mind, llm)
    found = await answered(mind, "got_prune", graph_id=graph, threshold=0.0)
    assert "pruning_id" not in found
    with pytest.raises(InvalidArgument, match="nothing to restore"):
        await answered(mind, "got_prune", graph_id=graph, restore=True)


async def test_bad_input_is_refused_and_changes_nothing(mind: Engine, access: Access) -> None:
    graph, _ = await grown(mind)
    before = everything(access)
    for more, field in (
        ({"threshold": 1.1}, "threshold"), ({"threshold": -0.1}, "threshold"),
        ({"restore": True, "threshold": 0.3}, "restore"),
        ({"restore": True, "preview": True}, "restore"),
        ({"preview": "yes"}, "preview"),
    ):  # fmt: skip
        with pytest.raises(InvalidArgument) as refused:
            await answered(mind, "got_prune", graph_id=graph, **more)
        assert refused.value.field == field
        assert field in refused.value.message
    assert everything(access) == before


async def test_another_owners_graph_is_left_alone(
    mind: Engine, llm: GraphingLlm, access: Access
) -> None:
    llm.judge = lambda text: 0.0
    graph, _ = await tree(mind, llm)
    theirs, _ = await tree(mind, llm, owner="anna")
    await answered(mind, "got_prune", graph_id=graph, threshold=1.0)
    state = await answered(mind, "got_state", graph_id=theirs, owner="anna")
    assert (state["active_nodes"], state["unscored_nodes"]) == (5, 4)


async def test_what_cannot_be_scored_stays_and_is_listed(mind: Engine, llm: GraphingLlm) -> None:
    graph, nodes = await tree(mind, llm)
    await answered(mind, "got_score", graph_id=graph, node_id=nodes[2])
    llm.says["judge"] = BudgetExceeded("used up", limit="calls")
    outcome = await call(mind, "reasoning_got_prune", {"graph_id": graph, "threshold": 1.0})
    found = outcome.answer
    assert (found["pruned"], found["scored"], found["partial"]) == ([nodes[2]], [], True)
    assert found["unscored"] == [nodes[1], *nodes[3:]]
    assert "some could not be scored and are kept, by number: 2, 4, 5" in outcome.notes


async def test_a_budget_for_some_ballots_prunes_by_those(
    access: Access, embedder: Embedder, llm: GraphingLlm
) -> None:
    llm.judge = worth(harbour=0.0, violin=0.0, north=0.0, south=0.0)
    async with thinking(access, embedder, llm) as rich:
        graph, nodes = await tree(rich, llm)
    async with thinking(access, embedder, llm, budget_calls=1) as poor:
        found = await answered(poor, "got_prune", graph_id=graph, threshold=0.25)
    assert found["pruned"] == nodes[1:]


async def test_without_a_language_model_words_decide_and_say_so(
    mind: Engine, llm: GraphingLlm, access: Access, embedder: Embedder
) -> None:
    graph, nodes = await tree(mind, llm)
    async with thinking(access, embedder, OfflineModel()) as plain:
        outcome = await call(plain, "reasoning_got_prune", {"graph_id": graph, "threshold": 1.0})
    assert outcome.answer["scored"] == nodes[1:]
    assert "No language model answered" in outcome.answer["suggestion"]
    assert "not judged" in " ".join(outcome.notes)


async def test_a_node_that_got_a_child_meanwhile_is_not_pruned(
    mind: Engine, llm: GraphingLlm
) -> None:
    llm.judge = lambda text: 0.0
    graph, nodes = await tree(mind, llm)
    asked, grew = asyncio.Event(), asyncio.Event()
    answer = llm.answer

    async def slow(ask: Ask) -> Any:
        if "scores" in (ask.schema or {})["required"]:
            asked.set()
            await grew.wait()
        return await answer(ask)

    async def grow() -> str:
        await asked.wait()
        made = await answered(mind, "got_generate", graph_id=graph, node_id=nodes[3], k=1)
        grew.set()
        return str(made["nodes"][0]["id"])

    llm.answer = slow  # type: ignore[method-assign]
    found, child = await asyncio.gather(
        answered(mind, "got_prune", graph_id=graph, threshold=1.0), grow()
    )
    assert (found["pruned"], found["unscored"]) == ([nodes[2], nodes[4]], [child])
    assert found["kept_below"] == [nodes[1], nodes[3]]
    assert found["partial"] is True


async def test_two_prunings_at_once_take_each_node_once(mind: Engine, llm: GraphingLlm) -> None:
    llm.judge = lambda text: 0.0
    graph, _ = await tree(mind, llm)
    made = await asyncio.gather(
        *(answered(mind, "got_prune", graph_id=graph, threshold=1.0) for _ in range(3))
    )
    assert sorted(len(each["pruned"]) for each in made) == [0, 0, 4]
    assert sum(len(each["scored"]) for each in made) == 4
    assert sum("pruning_id" in each for each in made) == 1


async def test_unknown_graph(mind: Engine) -> None:
    with pytest.raises(GraphNotFound):
        await answered(mind, "got_prune", graph_id=str(uuid4()), restore=True)


NOW = datetime(2026, 1, 1, tzinfo=UTC)
GROWTH = ("generates", "refines", "aggregates")


@st.composite
def graphs(draw: st.DrawFn) -> tuple[ThoughtGraph, float, set[UUID]]:
    """Draw a graph of 3 to 9 nodes, a threshold, and which nodes could not be scored."""
    count = draw(st.integers(3, 9))
    ids = [UUID(int=n + 1) for n in range(count)]
    worths = st.sampled_from([0.0, 0.0, 0.2, 0.3, 1.0])
    nodes: list[NodeRow] = []
    edges: list[EdgeRow] = []
    unscored: set[UUID] = set()
    for n, each in enumerate(ids):
        fate = draw(st.sampled_from(["active", "active", "pruned", "beaten"])) if n else "active"
        score = draw(worths | st.none())
        nodes.append(
            NodeRow(
                each, UUID(int=99), n + 1, "thought", str(n), 0, draw(worths), score, {}, "none",
                n > 0 and draw(st.integers(0, 9)) == 0, ids[0] if fate == "beaten" else None,
                UUID(int=98) if fate == "pruned" else None, None, None, {}, NOW,
            )
        )  # fmt: skip
        if score is None and n and draw(st.booleans()):
            unscored.add(each)
        for parent in (
            draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=2, unique=True)) if n else []
        ):
            kind = draw(st.sampled_from([*GROWTH, "supports"]))
            edges.append(
                EdgeRow(UUID(int=len(edges) + 1000), UUID(int=99), ids[parent], each, kind, 1.0,
                        None, None, NOW)
            )  # fmt: skip
    row = GraphRow(UUID(int=99), UUID(int=97), 1, None, 5, 5, 0.3, None, None, NOW)
    return ThoughtGraph(row, nodes, edges), draw(worths), unscored


def stays(graph: ThoughtGraph, node: NodeRow, threshold: float, unscored: set[UUID]) -> bool:
    """Tell by the plain definition whether an active node stays: for itself, or for another."""
    if node.is_active and (
        node.number == 1 or node.is_terminal or node.id in unscored or node.worth >= threshold
    ):
        return True
    below = [e.to_node for e in graph.edges if e.edge_type in GROWTH and e.from_node == node.id]
    return any(stays(graph, graph.by_id[each], threshold, unscored) for each in below)


@settings(max_examples=500)
@given(graphs())
def test_the_rule_is_its_definition(drawn: tuple[ThoughtGraph, float, set[UUID]]) -> None:
    graph, threshold, unscored = drawn
    found = plan_pruning(graph, threshold, unscored)
    gone = [n for n in graph.active if not stays(graph, n, threshold, unscored)]
    assert found.pruned == gone
    left = [n for n in graph.active if n not in gone]
    for node in left:
        assert not {each.id for each in graph.line(node)} & {each.id for each in gone}
    assert found.kept_below == [
        n for n in left
        if n.worth < threshold and n.number > 1 and not n.is_terminal and n.id not in unscored
    ]  # fmt: skip
