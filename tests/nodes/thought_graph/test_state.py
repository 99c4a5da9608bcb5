"""A graph in figures: what they count, a true search for cycles, a drawing, and reading only."""

from __future__ import annotations

import re

import psycopg

from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.access import Access
from tests.support.llms.thought_graph import GraphingLlm
from tests.support.reasoning.sessions import answered
from tests.support.reasoning.thought_graphs import begun, everything, grown

LINE = (
    r'n\d+\["\d+ · \w+ · (?:unscored|[01]\.\d\d)(?:, (?:pruned|beaten))?'
    r'<br/>(?:\w| |#\d+;)*"\](?::::\w+)?',
    r"n\d+ (?:-->|-\. refines \.->|==>|--o\|supports\||--x\|contradicts\|) n\d+",
    r"classDef \w+ [\w:.,-]+",
    r"flowchart TD",
    r'(?:more|edges)\["\d+ more (?:nodes|edges), not drawn"\]',
)


def draw_back(access: Access, start: str, end: str, kind: str = "generates") -> None:
    """Draw an edge by hand, as no tool does."""
    with psycopg.connect(access.admin) as connection:
        connection.execute("SET search_path TO reasonloom")
        connection.execute(
            "INSERT INTO graph_edges (owner, id, graph_id, from_node, to_node, edge_type, weight)"
            " SELECT owner, gen_random_uuid(), graph_id, %s::uuid, %s::uuid, %s, 1"
            " FROM graph_nodes WHERE id = %s::uuid",
            (start, end, kind, start),
        )


async def test_a_fresh_graph_is_one_node(mind: Engine) -> None:
    graph = await begun(mind, problem="How to sleep?")
    state = await answered(mind, "got_state", graph_id=graph["graph_id"])
    root = graph["root_node_id"]
    told = {
        "session_id": graph["session_id"], "node_count": 1, "edge_count": 0, "max_depth": 0,
        "active_nodes": 1, "terminal_nodes": 0, "has_cycle": False, "cycle": None,
        "root_node_id": root, "unscored_nodes": 0, "leaves": [root], "best_node_id": None,
        "node_types": {"root": 1}, "edge_types": {}, "problem": "How to sleep?",
        "finalized": False, "conclusion": None,
    }  # fmt: skip
    assert {name: state[name] for name in told} == told


async def test_the_figures_count_what_is_there(mind: Engine, llm: GraphingLlm) -> None:
    worths = {"harbour": 0.0, "violin": 0.8, "together": 0.9}
    llm.judge = lambda text: worths.get(text.split()[-1], 0.6)
    graph, nodes = await grown(mind)
    before = await answered(mind, "got_state", graph_id=graph)
    assert (before["unscored_nodes"], before["best_node_id"]) == (3, None)
    merged = await answered(mind, "got_aggregate", graph_id=graph, node_ids=nodes[2:])
    await answered(mind, "got_prune", graph_id=graph, threshold=0.25)
    state = await answered(mind, "got_state", graph_id=graph)
    assert (state["node_count"], state["active_nodes"], state["pruned_nodes"]) == (5, 4, 1)
    assert (state["edge_count"], state["max_depth"], state["unscored_nodes"]) == (5, 2, 0)
    assert state["best_node_id"] == merged["node_id"]
    assert len(state["leaves"]) == 1
    assert state["node_types"] == {"aggregation": 1, "root": 1, "thought": 3}
    assert state["edge_types"] == {"aggregates": 2, "generates": 3}


async def test_a_cycle_is_found_and_named(mind: Engine, access: Access, llm: GraphingLlm) -> None:
    graph, nodes = await grown(mind)
    made = await answered(mind, "got_generate", graph_id=graph, node_id=nodes[2], k=1)
    deep = made["nodes"][0]["id"]
    draw_back(access, nodes[1], nodes[2], "contradicts")
    draw_back(access, nodes[2], nodes[1], "contradicts")
    state = await answered(mind, "got_state", graph_id=graph)
    assert (state["has_cycle"], state["cycle"]) == (False, None), "relations may go round"
    draw_back(access, deep, nodes[2], "refines")
    state = await answered(mind, "got_state", graph_id=graph)
    assert state["has_cycle"] is True
    assert set(state["cycle"]) == {nodes[2], deep}


async def test_a_node_that_came_from_itself_is_a_cycle(mind: Engine, access: Access) -> None:
    graph, nodes = await grown(mind)
    draw_back(access, nodes[1], nodes[1])
    state = await answered(mind, "got_state", graph_id=graph)
    assert (state["has_cycle"], set(state["cycle"])) == (True, {nodes[1]})


async def test_state_only_reads(mind: Engine, access: Access) -> None:
    graph, _ = await grown(mind)
    before = everything(access)
    await answered(mind, "got_state", graph_id=graph)
    assert everything(access) == before


async def test_the_drawing_holds_nothing_that_mermaid_could_misread(
    mind: Engine, llm: GraphingLlm, access: Access
) -> None:
    evil = [
        '"]; click n1 "javascript:alert(1)"; n9["', "%%{init: {'theme':'dark'}}%%", "end",
        "subgraph x\nn1-->n2\nend", "<script>alert(1)</script>", "1. one\n2. two", "`code` **b**",
        "style n1 fill:#f00;", "数学 & «été» #quot; --x|y| z",
    ]  # fmt: skip
    llm.says["generate"] = {"continuations": [{"thought": t, "confidence": 0.5} for t in evil]}
    graph, nodes = await grown(mind, 9, config={"max_branches": 10})
    draw_back(access, nodes[1], nodes[2], "contradicts")
    draw_back(access, nodes[1], nodes[3], "supports")
    draw_back(access, nodes[2], nodes[3], "refines")
    await answered(mind, "got_prune", graph_id=graph, threshold=1.0)
    drawn = (await answered(mind, "got_state", graph_id=graph))["mermaid"].split("\n")
    for each in drawn:
        assert any(re.fullmatch(form, each) for form in LINE), each
    assert sum(each.startswith("n") and "<br/>" in each for each in drawn) == 10
    assert "n2 --x|contradicts| n3" in drawn
    assert sum(":::inactive" in each for each in drawn) == 9


async def test_a_large_graph_is_drawn_in_part(mind: Engine, access: Access) -> None:
    graph, _ = await grown(mind)
    with psycopg.connect(access.admin) as connection:
        connection.execute("SET search_path TO reasonloom")
        connection.execute(
            "INSERT INTO graph_nodes (owner, id, graph_id, number, node_type, content, depth,"
            " confidence) SELECT owner, gen_random_uuid(), id, n, 'thought', repeat('<&>', 100),"
            " 1, 0.5 FROM thought_graphs, generate_series(5, 900) n WHERE id = %s::uuid",
            (graph,),
        )
    drawn = (await answered(mind, "got_state", graph_id=graph))["mermaid"]
    assert len(drawn) < 45_000
    assert "more nodes, not drawn" in drawn
