"""Closing a graph: its ends, its conclusion in the session, how sure, and that it stays closed."""

from __future__ import annotations

import asyncio
from itertools import combinations
from statistics import fmean
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from reasonloom.errors import (
    GraphNotFound,
    InvalidArgument,
    LlmRefused,
    LlmUnavailable,
    NodeNotFound,
)
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.llm.offline.model import OfflineModel
from reasonloom.nodes.similarity import similarity_of
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.databases.rows import Rows
from tests.support.llms.thought_graph import GraphingLlm
from tests.support.reasoning.sessions import answered, lines, stored_rows, thinking, whole
from tests.support.reasoning.thought_graphs import everything, grown

GRANITE = "Think about the granite"


def valued(worth: dict[str, float]) -> Any:
    """Judge by the last word of a thought."""
    return lambda text: worth.get(text.split()[-1], 0.5)


async def scored(mind: Engine, graph: str, nodes: list[str]) -> list[float]:
    """Score nodes; return their scores."""
    made = [await answered(mind, "got_score", graph_id=graph, node_id=node) for node in nodes]
    return [each["score"] for each in made]


async def test_the_conclusion_is_the_next_thought_of_the_session(
    mind: Engine, llm: GraphingLlm
) -> None:
    first = await answered(mind, "got_init", content="Before")
    session = first["session_id"]
    graph, nodes = await grown(mind, session_id=session)
    llm.says["conclude"] = {"conclusion": "Granite it is (N4).", "sources": ["N4", "N9"]}
    outcome = await call(
        mind, "reasoning_got_finalize", {"graph_id": graph, "terminal_node_ids": nodes[3:0:-1]}
    )
    found = outcome.answer
    assert found["sources"] == [nodes[3]]
    assert "the conclusion named sources that do not exist: N9" in outcome.notes
    assert [each["id"] for each in found["terminal_nodes"]] == nodes[3:0:-1]
    assert {(e["node_type"], e["is_terminal"]) for e in found["terminal_nodes"]} == {
        ("terminal", True)
    }
    stored = await whole(mind, session)
    assert lines(stored)[found["branch_id"]] == [found["conclusion"]] == ["Granite it is (N4)."]
    thought = stored.thoughts[0]
    assert (str(thought.id), thought.mode) == (found["thought_id"], "got")
    assert thought.metadata == {"graph_id": graph, "sources": [nodes[3]]}
    state = await answered(mind, "got_state", graph_id=graph)
    assert (state["finalized"], state["terminal_nodes"]) == (True, 3)
    assert state["conclusion"] == found["conclusion"]
    assert "partial" not in found


async def test_confidence_is_worth_in_whatever_words(
    mind: Engine, llm: GraphingLlm, embedder: Embedder
) -> None:
    llm.judge = valued({"harbour": 0.9, "violin": 0.3})
    graph, nodes = await grown(mind)
    scores = await scored(mind, graph, nodes[1:3])
    found = await answered(mind, "got_finalize", graph_id=graph, terminal_node_ids=nodes[1:])
    texts = [each["content"] for each in found["terminal_nodes"]]
    likeness = await similarity_of(embedder, texts)
    agreed = fmean(likeness.of(one, other) for one, other in combinations(texts, 2))
    assert found["agreement"] == pytest.approx(agreed, abs=1e-3)
    assert 0 < agreed < 1
    assert found["confidence"] == pytest.approx(fmean([*scores, 0.5]), abs=1e-3)


async def test_one_end_alone_agrees_with_nobody(mind: Engine, llm: GraphingLlm) -> None:
    graph, nodes = await grown(mind)
    score = (await scored(mind, graph, nodes[3:]))[0]
    found = await answered(mind, "got_finalize", graph_id=graph, terminal_node_ids=nodes[3:])
    assert (found["agreement"], found["confidence"]) == (None, score)


async def test_without_names_it_ends_in_the_best_leaves(mind: Engine, llm: GraphingLlm) -> None:
    llm.judge = valued({"harbour": 0.2, "violin": 0.9, "granite": 0.8, "pepper": 0.7})
    graph, nodes = await grown(mind, 5)
    await scored(mind, graph, nodes[1:5])
    llm.says["generate"] = {"continuations": [{"thought": "A leaf of it", "confidence": 0.95}]}
    made = await answered(mind, "got_generate", graph_id=graph, node_id=nodes[2], k=1)
    leaf = made["nodes"][0]["id"]
    outcome = await call(mind, "reasoning_got_finalize", {"graph_id": graph})
    ends = [each["id"] for each in outcome.answer["terminal_nodes"]]
    assert ends == [leaf, nodes[3], nodes[4]], "no node from which an active one came"
    assert outcome.notes[:2] == [
        "it ends in 3 of 5 active leaves, those of the highest score",
        "unscored ends are ranked by the confidence that their author claims, by number: 7",
    ]


async def test_sources_that_are_not_named_are_found(mind: Engine, llm: GraphingLlm) -> None:
    graph, nodes = await grown(mind)
    llm.says["conclude"] = f"{GRANITE}, nothing else."
    outcome = await call(mind, "reasoning_got_finalize", {"graph_id": graph})
    assert outcome.answer["conclusion"] == f"{GRANITE}, nothing else."
    assert outcome.answer["sources"] == [nodes[3]]
    assert "the conclusion named no source; those it is most like are named instead" in (
        outcome.notes
    )


async def test_the_conclusion_is_kept_as_a_memory(
    access: Access, embedder: Embedder, llm: GraphingLlm
) -> None:
    llm.says["conclude"] = {"conclusion": "Zeppelins park on the roof.", "sources": ["N2"]}
    async with thinking(access, embedder, llm, auto_memory=True) as mind:
        graph, _ = await grown(mind)
        found = await answered(mind, "got_finalize", graph_id=graph)
    with psycopg.connect(access.admin) as connection:
        kept = connection.execute("SELECT content, source_kind, session_id::text FROM memories")
        assert kept.fetchall() == [(found["conclusion"], "derived", found["session_id"])]


async def test_conflicts_are_told_to_the_model(mind: Engine, llm: GraphingLlm) -> None:
    said = ("The wall is thin.", "The wall is not thin.")
    llm.says["generate"] = {"continuations": [{"thought": t, "confidence": 0.5} for t in said]}
    graph, _ = await grown(mind, 2)
    await answered(mind, "got_finalize", graph_id=graph)
    assert "- N2 and N3: one denies" in llm.asked["conclude"][0]


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Der Granit trägt die Brücke (N4).", 4),
        ("花崗岩が橋を支える（N4）。", 4),
        ("الجرانيت يحمل الجسر (N4).", 4),
    ],
)
async def test_conclusions_in_other_languages_stay_whole(
    mind: Engine, llm: GraphingLlm, text: str, source: int
) -> None:
    graph, nodes = await grown(mind)
    llm.says["conclude"] = {"conclusion": text, "sources": ["N4"]}
    found = await answered(mind, "got_finalize", graph_id=graph)
    assert (found["conclusion"], found["sources"]) == (text, [nodes[source - 1]])
    state = await answered(mind, "got_state", graph_id=graph)
    assert state["conclusion"] == text


async def test_a_closed_graph_takes_nothing_and_still_tells_its_state(
    mind: Engine, access: Access
) -> None:
    graph, nodes = await grown(mind)
    await answered(mind, "got_finalize", graph_id=graph)
    before = [everything(access), stored_rows(access)]
    one = {"graph_id": graph, "node_id": nodes[1]}
    for tool, arguments in (
        ("generate", one), ("score", one), ("refine", one),
        ("aggregate", {"graph_id": graph, "node_ids": nodes[1:]}),
        ("prune", {"graph_id": graph}), ("prune", {"graph_id": graph, "preview": True}),
        ("prune", {"graph_id": graph, "restore": True}), ("finalize", {"graph_id": graph}),
    ):  # fmt: skip
        with pytest.raises(InvalidArgument, match="the graph is finalized") as refused:
            await answered(mind, f"got_{tool}", **arguments)
        assert refused.value.field == "graph_id"
    assert [everything(access), stored_rows(access)] == before
    assert (await answered(mind, "got_state", graph_id=graph))["finalized"] is True


async def test_bad_input_is_refused_and_changes_nothing(
    mind: Engine, llm: GraphingLlm, access: Access
) -> None:
    graph, nodes = await grown(mind)
    _, others = await grown(mind)
    foreign, foreigns = await grown(mind, owner="anna")
    await answered(mind, "got_prune", graph_id=graph, threshold=0.9)
    before = everything(access)
    unknown = str(uuid4())
    for bad in (others[1], foreigns[1], unknown, "no uuid"):
        with pytest.raises(NodeNotFound) as missing:
            await answered(mind, "got_finalize", graph_id=graph, terminal_node_ids=[bad])
        assert missing.value.message == f"Node not found: {bad}"
        assert missing.value.field == "terminal_node_ids"
    for bad in (foreign, unknown, "no uuid"):
        for tool in ("finalize", "state", "prune"):
            with pytest.raises(GraphNotFound) as gone:
                await answered(mind, f"got_{tool}", graph_id=bad)
            assert gone.value.message == f"Graph not found: {bad}"
    for ids in ([], [nodes[0], nodes[0]], [nodes[1]]):
        with pytest.raises(InvalidArgument) as refused:
            await answered(mind, "got_finalize", graph_id=graph, terminal_node_ids=ids)
        assert refused.value.field == "terminal_node_ids"
    assert everything(access) == before
    assert "conclude" not in llm.asked


async def test_a_failure_that_may_pass_changes_nothing_and_the_next_try_does_it(
    mind: Engine, llm: GraphingLlm, access: Access
) -> None:
    graph, _ = await grown(mind)
    llm.says["conclude"] = LlmUnavailable("away")
    before = [everything(access), stored_rows(access)]
    with pytest.raises(LlmUnavailable):
        await answered(mind, "got_finalize", graph_id=graph)
    assert [everything(access), stored_rows(access)] == before
    llm.says["conclude"] = {"conclusion": "So it is (N2).", "sources": ["N2"]}
    assert (await answered(mind, "got_finalize", graph_id=graph))["conclusion"] == "So it is (N2)."


async def test_a_failure_that_stays_leaves_an_extract_that_says_so(
    mind: Engine, llm: GraphingLlm
) -> None:
    graph, nodes = await grown(mind)
    llm.says["conclude"] = LlmRefused("no")
    outcome = await call(
        mind, "reasoning_got_finalize", {"graph_id": graph, "terminal_node_ids": nodes[1:3]}
    )
    found = outcome.answer
    assert found["conclusion"] == "N2: Think about the harbour. N3: Think about the violin."
    assert (found["partial"], found["sources"]) == (True, nodes[1:3])
    assert "there is no synthesis" in " ".join(outcome.notes)


async def test_without_a_language_model_it_is_an_extract(
    mind: Engine, access: Access, embedder: Embedder
) -> None:
    graph, nodes = await grown(mind)
    async with thinking(access, embedder, OfflineModel()) as plain:
        found = await answered(plain, "got_finalize", graph_id=graph, terminal_node_ids=nodes[3:])
    quoted, question = found["conclusion"].split("\n")
    assert quoted == f"N4: {GRANITE}"
    assert question.endswith("What do these thoughts come to together?")
    assert (found["kind"], found["confidence"] <= 0.3) == ("open_question", True)
    assert "No language model" in found["suggestion"]
    assert "partial" not in found


async def test_finalize_against_generate_loses_and_adds_nothing(
    access: Access, embedder: Embedder, llm: GraphingLlm
) -> None:
    async with thinking(access, embedder, llm) as one, thinking(access, embedder, llm) as other:
        for _ in range(4):
            graph, nodes = await grown(one)
            results = await asyncio.gather(
                answered(one, "got_finalize", graph_id=graph),
                answered(other, "got_generate", graph_id=graph, node_id=nodes[1]),
                answered(other, "got_finalize", graph_id=graph),
                answered(one, "got_generate", graph_id=graph, node_id=nodes[2]),
                return_exceptions=True,
            )
            failed = [each for each in results if isinstance(each, BaseException)]
            for each in failed:
                assert isinstance(each, InvalidArgument)
                assert "finalized" in each.message
            state = await answered(one, "got_state", graph_id=graph)
            grew = [each for each in results[1::2] if not isinstance(each, BaseException)]
            assert len([each for each in results[::2] if each not in failed]) == 1
            assert state["node_count"] == 4 + sum(len(each["nodes"]) for each in grew)
            assert state["finalized"] is True
            rows = Rows(access.admin)
            assert rows.number("SELECT count(*) FROM thoughts WHERE session_id = %s",
                               state["session_id"]) == 1  # fmt: skip


async def test_a_session_that_went_on_meanwhile_forks(mind: Engine, llm: GraphingLlm) -> None:
    first, _ = await grown(mind)
    session = (await answered(mind, "got_state", graph_id=first))["session_id"]
    second, _ = await grown(mind, session_id=session)
    outcomes = await asyncio.gather(
        *(call(mind, "reasoning_got_finalize", {"graph_id": each}) for each in (first, second))
    )
    branches = {each.answer["branch_id"] for each in outcomes}
    assert len(branches) == 2
    forked = next(each for each in outcomes if each.answer["branch_id"] != session)
    assert forked.answer["branch_id"] in forked.notes[-1]
