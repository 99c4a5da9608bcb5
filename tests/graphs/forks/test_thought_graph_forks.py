"""Forks of Graph of Thoughts: a plan and a refinement, asked anew from the node on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.stores.access import Access
from tests.support.llms.thought_graph import GraphingLlm
from tests.support.reasoning.sessions import answered
from tests.support.reasoning.thought_graphs import grown
from tests.support.runs.forks import engine_on, fork, kept, next_versions, row_of

PROBLEM = "How to sleep beside a loud band?"
PLAN = {
    "operations": [
        {"do": "generate", "samples": 3}, {"do": "score"}, {"do": "keep_best"}, {"do": "refine"},
        {"do": "score"}, {"do": "keep_best"},
    ]
}  # fmt: skip


def thought_by(voice: str, judge: float = 0.9) -> GraphingLlm:
    """Return a language model whose refinements are its own, and better or worse than others."""
    refined = f"{voice} thinks of walnuts"
    return GraphingLlm(
        judge=lambda text: judge if "walnuts" in text else 0.5, refined=refined, name=voice
    )


async def a_plan(engine: Engine) -> Any:
    return await answered(engine, "got_run", problem=PROBLEM, plan=PLAN)


async def a_refinement(engine: Engine) -> Any:
    graph = await answered(engine, "got_init", content=PROBLEM)
    where = {"graph_id": graph["graph_id"], "node_id": graph["root_node_id"]}
    grown = await answered(engine, "got_generate", **where)
    where["node_id"] = grown["nodes"][0]["id"]
    return await answered(engine, "got_refine", **where)


def counts(llm: GraphingLlm) -> dict[str, int]:
    return {kind: len(asked) for kind, asked in llm.asked.items()}


@pytest.mark.parametrize(
    ("at", "asked"),
    [
        ("begin_plan", {"generate": 1, "judge": 5, "refine": 1}),
        ("carry_out", {"generate": 1, "judge": 5, "refine": 1}),
        ("keep_graph", {}),
    ],
)
async def test_a_fork_of_a_plan_is_a_graph_of_its_own(
    access: Access, embedder: Embedder, at: str, asked: dict[str, int]
) -> None:
    async with engine_on(access, embedder, thought_by("old")) as engine:
        before = await a_plan(engine)
        stored = kept(access, before["run_id"])
    new = thought_by("new")
    async with engine_on(access, embedder, new) as engine:
        after = (await fork(engine, before["run_id"], at)).answer
        state = await answered(engine, "got_state", graph_id=after["graph_id"])
        row = await row_of(engine, after["run_id"])
    assert counts(new) == asked
    assert kept(access, before["run_id"]) == stored
    assert before["content"] == "old thinks of walnuts"
    assert after["content"] == ("new thinks of walnuts" if asked else before["content"])
    assert after["graph_id"] != before["graph_id"]
    assert (state["node_count"], state["has_cycle"]) == (before["node_count"], False)
    assert row.fork == {"origin": before["run_id"], "at": at, "prompts": {}}


@pytest.mark.parametrize("better", [True, False], ids=["accepted", "refused"])
@pytest.mark.parametrize(
    ("at", "asked"),
    [("write_anew", {"refine": 1, "judge": 2}), ("cast_ballot", {"judge": 2}), ("keep_better", {})],
)
async def test_a_fork_of_a_refinement_competes_with_the_same_parent(
    access: Access, embedder: Embedder, better: bool, at: str, asked: dict[str, int]
) -> None:
    async with engine_on(access, embedder, thought_by("old", 0.9 if better else 0.1)) as engine:
        before = await a_refinement(engine)
        stored = kept(access, before["run_id"])
    new = thought_by("new", 0.1 if better else 0.9)
    async with engine_on(access, embedder, new) as engine:
        after = (await fork(engine, before["run_id"], at)).answer
    assert counts(new) == asked
    assert kept(access, before["run_id"]) == stored
    assert before["accepted"] is better
    assert after["accepted"] is (better if not asked else not better)
    assert (after["node"]["content"] == before["node"]["content"]) is ("refine" not in asked)
    assert after["node_id"] != before["node_id"]
    assert after["edges"][0]["from_node"] == before["edges"][0]["from_node"]


@pytest.mark.parametrize(
    ("tool", "at", "asked"),
    [
        ("generate", "propose", {"generate": 2}),  # the node itself comes first, a twin
        ("generate", "keep_nodes", {}),
        ("score", "cast_ballot", {"judge": 1}),
        ("score", "keep_score", {}),
        ("aggregate", "keep_merged", {}),
        ("prune", "cast_ballot", {"judge": 3}),
        ("prune", "take_out", {}),
    ],
)
async def test_an_operation_is_forked_within_its_graph(
    access: Access, embedder: Embedder, tool: str, at: str, asked: dict[str, int]
) -> None:
    async with engine_on(access, embedder, thought_by("old")) as engine:
        graph, nodes = await grown(engine)
        requests: dict[str, dict[str, Any]] = {
            "generate": {"node_id": nodes[1], "k": 2}, "score": {"node_id": nodes[1]},
            "aggregate": {"node_ids": nodes[1:3]}, "prune": {"threshold": 0.1},
        }  # fmt: skip
        before = await answered(engine, f"got_{tool}", graph_id=graph, **requests[tool])
    new = thought_by("new")
    async with engine_on(access, embedder, new) as engine:
        after = (await fork(engine, before["run_id"], at)).answer
        state = await answered(engine, "got_state", graph_id=graph)
    assert counts(new) == asked
    assert (set(after), state["has_cycle"]) == (set(before), False)


async def test_a_closed_graph_is_not_closed_again_by_a_fork(
    access: Access, embedder: Embedder
) -> None:
    async with engine_on(access, embedder, thought_by("old")) as engine:
        graph, _ = await grown(engine)
        run = (await answered(engine, "got_finalize", graph_id=graph))["run_id"]
        with pytest.raises(InvalidArgument, match="finalized"):
            await fork(engine, run, "conclude")


async def test_another_version_of_a_prompt_is_asked_from_the_node_on(
    access: Access, embedder: Embedder, tmp_path: Path
) -> None:
    folder = next_versions(tmp_path / "prompts", "got/refine", "got/judge")
    async with engine_on(access, embedder, thought_by("old", 0.1)) as engine:
        run = (await a_refinement(engine))["run_id"]
    async with engine_on(access, embedder, thought_by("new"), prompts=folder) as engine:
        forked = await fork(engine, run, "cast_ballot", got__judge=3)
        row = await row_of(engine, str(forked.run_id))
        assert forked.answer["accepted"] is True
    assert row.fork is not None
    assert row.fork["prompts"] == {"got/judge": 3}
    assert row.llm == "new"
