"""The scenes of Graph of Thoughts: each operation that asks a language model, and a whole plan."""

from __future__ import annotations

from typing import Any

from reasonloom.graphs.runs.engine import Engine
from tests.support.killing.scenes.scene import Given, Scene
from tests.support.reasoning.sessions import answered

PROBLEM = "How is Anna kept safe from peanuts at dinner?"
NODE = {"runs": 1, "thoughts": 0, "memories": 0, "graph_nodes": 1}


async def a_graph(engine: Engine, owner: str) -> dict[str, Any]:
    """Begin a graph; name it, and its root, which is to be continued."""
    begun = await answered(engine, "got_init", owner=owner, content=PROBLEM)
    return {"graph_id": begun["graph_id"], "node_id": begun["root_node_id"], "k": 3}


async def _grown(engine: Engine, owner: str) -> tuple[str, list[str]]:
    root = await a_graph(engine, owner)
    grown = await answered(engine, "got_generate", owner=owner, **root)
    return root["graph_id"], [node["id"] for node in grown["nodes"]]


async def a_node(engine: Engine, owner: str) -> dict[str, Any]:
    """Grow a graph; name its first node, which is to be scored or refined."""
    graph, nodes = await _grown(engine, owner)
    return {"graph_id": graph, "node_id": nodes[0]}


async def some_nodes(engine: Engine, owner: str) -> dict[str, Any]:
    """Grow a graph; name its nodes, which are to be merged."""
    graph, nodes = await _grown(engine, owner)
    return {"graph_id": graph, "node_ids": nodes}


async def unscored_nodes(engine: Engine, owner: str) -> dict[str, Any]:
    """Grow a graph that nobody has scored; name it."""
    graph, _ = await _grown(engine, owner)
    return {"graph_id": graph, "threshold": 0.5}


async def two_ends(engine: Engine, owner: str) -> dict[str, Any]:
    """Grow a graph; name two of its nodes, in which it is to end."""
    graph, nodes = await _grown(engine, owner)
    return {"graph_id": graph, "terminal_node_ids": nodes[:2]}


async def _state(engine: Engine, owner: str, answer: dict[str, Any]) -> dict[str, Any]:
    found = await answered(engine, "got_state", owner=owner, graph_id=answer["graph_id"])
    assert found["has_cycle"] is False
    return dict(found)


async def scored(engine: Engine, owner: str, answer: dict[str, Any]) -> None:
    """Hold that one node alone has a score, by one ballot."""
    assert (answer["check"], answer["ballots"]) == ("judge", 1)
    found = await _state(engine, owner, answer)
    assert (found["unscored_nodes"], found["best_node_id"]) == (2, answer["node_id"])


async def refined(engine: Engine, owner: str, answer: dict[str, Any]) -> None:
    """Hold that the refinement has taken its parent's place."""
    assert (answer["accepted"], answer["preferred"]) == (True, answer["node_id"])
    found = await _state(engine, owner, answer)
    assert (found["replaced_nodes"], found["active_nodes"]) == (1, found["node_count"] - 1)


async def pruned(engine: Engine, owner: str, answer: dict[str, Any]) -> None:
    """Hold that every node was scored, and what is low is out and can be put back."""
    found = await _state(engine, owner, answer)
    assert (found["unscored_nodes"], found["pruned_nodes"]) == (0, len(answer["pruned"]))
    assert 0 < len(answer["pruned"]) < len(answer["scored"])
    back = await answered(
        engine, "got_prune", owner=owner, graph_id=answer["graph_id"], restore=True
    )
    assert sorted(back["restored"]) == sorted(answer["pruned"])


async def closed(engine: Engine, owner: str, answer: dict[str, Any]) -> None:
    """Hold that the graph is closed with its conclusion."""
    found = await _state(engine, owner, answer)
    assert (found["finalized"], found["terminal_nodes"]) == (True, 2)
    assert found["conclusion"] == answer["conclusion"]


async def carried_out(engine: Engine, owner: str, answer: dict[str, Any]) -> None:
    """Hold that every operation was done, and that all thoughts are in the graph."""
    assert (answer["ended"], "exhausted" in answer) == ("complete", False)
    assert {step["standing"] for step in answer["steps"]} == {"done"}
    found = await _state(engine, owner, answer)
    assert found["node_count"] == answer["node_count"]


GENERATE = Scene(
    "got_generate", "reasoning_got_generate", "got_generate", a_graph,
    {**NODE, "graph_nodes": 3, "graph_edges": 3}, least=35, calls=2,
)  # fmt: skip
SCORE = Scene(
    "got_score", "reasoning_got_score", "got_score", a_node,
    {**NODE, "graph_nodes": 0, "graph_edges": 1}, least=40, calls=1, after=scored,
)  # fmt: skip
REFINE = Scene(
    "got_refine", "reasoning_got_refine", "got_refine", a_node,
    {**NODE, "graph_edges": 1}, least=40, calls=1 + 2, after=refined,
)  # fmt: skip
AGGREGATE = Scene(
    "got_aggregate", "reasoning_got_aggregate", "got_aggregate", some_nodes,
    {**NODE, "graph_edges": 3}, least=45, calls=1 + 3,
)  # fmt: skip
PRUNE = Scene(
    "got_prune", "reasoning_got_prune", "got_prune", unscored_nodes,
    {**NODE, "graph_nodes": 0, "graph_prunings": 1}, least=40, calls=3, after=pruned,
)  # fmt: skip
FINALIZE = Scene(
    "got_finalize", "reasoning_got_finalize", "got_finalize", two_ends,
    {**NODE, "graph_nodes": 0, "thoughts": 1, "memories": 1}, least=40, calls=1, after=closed,
)  # fmt: skip
RUN = Scene(
    "got_run", "reasoning_got_run", "got_run", Given({"problem": PROBLEM}),
    {**NODE, "thought_graphs": 1, "graph_nodes": 7, "thoughts": 1, "memories": 1},
    least=90, calls=1 + 3 + 2 + 3 + 1 + 2, after=carried_out,
)  # fmt: skip
GRAPH_SCENES = (GENERATE, SCORE, REFINE, AGGREGATE, PRUNE, FINALIZE, RUN)
