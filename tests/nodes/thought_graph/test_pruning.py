"""The rule of pruning, held against its plain definition on any graph."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from reasonloom.nodes.thought_graph.graph import WholeGraph
from reasonloom.nodes.thought_graph.pruning import cut
from reasonloom.stores.thought_graph.graph_edges import EdgeRow
from reasonloom.stores.thought_graph.graph_nodes import NodeRow
from reasonloom.stores.thought_graph.thought_graphs import GraphRow

NOW = datetime(2026, 1, 1, tzinfo=UTC)
GROWTH = ("generates", "refines", "aggregates")


@st.composite
def graphs(draw: st.DrawFn) -> tuple[WholeGraph, float, set[UUID]]:
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
    row = GraphRow(UUID(int=99), UUID(int=97), 1, None, 5, 5, 0.3, None, None, None, {}, NOW, NOW)
    return WholeGraph(row, nodes, edges), draw(worths), unscored


def stays(graph: WholeGraph, node: NodeRow, threshold: float, unscored: set[UUID]) -> bool:
    """Tell by the plain definition whether an active node stays: for itself, or for another."""
    if node.is_active and (
        node.number == 1 or node.is_terminal or node.id in unscored or node.worth >= threshold
    ):
        return True
    below = [e.to_node for e in graph.edges if e.edge_type in GROWTH and e.from_node == node.id]
    return any(stays(graph, graph.by_id[each], threshold, unscored) for each in below)


@settings(max_examples=500)
@given(graphs())
def test_the_rule_is_its_definition(drawn: tuple[WholeGraph, float, set[UUID]]) -> None:
    graph, threshold, unscored = drawn
    found = cut(graph, threshold, unscored)
    gone = [n for n in graph.active if not stays(graph, n, threshold, unscored)]
    assert found.pruned == gone
    left = [n for n in graph.active if n not in gone]
    for node in left:
        assert not {each.id for each in graph.line(node)} & {each.id for each in gone}
    assert found.kept_below == [
        n for n in left
        if n.worth < threshold and n.number > 1 and not n.is_terminal and n.id not in unscored
    ]  # fmt: skip
