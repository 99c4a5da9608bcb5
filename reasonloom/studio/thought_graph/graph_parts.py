"""A Graph of Thoughts as a chart: depth from left to right, scores as colour, pruned ones faded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

from reasonloom.nodes.sessions.picture import shortened
from reasonloom.studio.widgets.charts import drawable

if TYPE_CHECKING:
    from reasonloom.nodes.thought_graph.graph import WholeGraph
    from reasonloom.stores.thought_graph.graph_edges import EdgeRow
    from reasonloom.stores.thought_graph.graph_nodes import NodeRow

COLUMN, LINE = 190, 64
LOW, MIDDLE, HIGH = "#b8483f", "#d9a441", "#2f8f5b"
UNSCORED, FADED = "#8a939d", 0.28
LONGEST = 22
KINDS = {
    "generates": ("solid", "#8a939d", "generates"),
    "refines": ("dashed", "#9a5ba5", "refines"),
    "aggregates": ("solid", "#3b6ea5", "aggregates"),
}
OTHER = ("dotted", "#8a939d", "relates")
WIDE = 3
"""Width of the lines by which thoughts are joined, so that they stand out without colour too."""


def colour_of(score: float | None) -> str:
    """Return the colour of a score in three steps; the score itself is in words beside it."""
    if score is None:
        return UNSCORED
    return LOW if score < 1 / 3 else MIDDLE if score < 2 / 3 else HIGH


def options(graph: WholeGraph, shown: int) -> dict[str, Any]:
    """Return the chart of the first `shown` nodes, in the order in which they came."""
    nodes = graph.nodes[:shown]
    known = {node.id for node in nodes}
    edges = [edge for edge in graph.edges if edge.from_node in known and edge.to_node in known]
    return {
        "tooltip": {"trigger": "item"},
        "series": [
            {
                "type": "graph",
                "layout": "none",
                "roam": True,
                "edgeSymbol": ["none", "arrow"],
                "edgeSymbolSize": 7,
                "data": list(_nodes(graph, nodes)),
                "links": [_edge(graph, edge) for edge in edges],
                "label": {"show": True, "position": "bottom", "fontSize": 11},
                "emphasis": {"focus": "adjacency"},
            }
        ],
    }


def depths(graph: WholeGraph) -> int:
    """Return how many nodes stand at the depth where there are most."""
    counts: dict[int, int] = defaultdict(int)
    for node in graph.nodes:
        counts[node.depth] += 1
    return max(counts.values(), default=0)


def _nodes(graph: WholeGraph, nodes: Sequence[NodeRow]) -> Iterable[dict[str, Any]]:
    places: dict[int, int] = defaultdict(int)
    widths: dict[int, int] = defaultdict(int)
    for node in graph.nodes:
        widths[node.depth] += 1
    for node in nodes:
        place = places[node.depth]
        places[node.depth] += 1
        yield _node(node, place - (widths[node.depth] - 1) / 2)


def _node(node: NodeRow, place: float) -> dict[str, Any]:
    faded = node.pruning_id is not None or node.replaced_by is not None
    score = "not scored" if node.score is None else f"{node.score:.2f}"
    return {
        "id": str(node.id),
        "name": f"{node.number}. {drawable(shortened(node.content, LONGEST))}",
        "value": f"{node.node_type}, {score}{', pruned' if node.pruning_id else ''}",
        "x": node.depth * COLUMN,
        "y": place * LINE,
        "symbolSize": 26 if node.is_terminal else 18,
        "symbol": "roundRect" if node.node_type in ("aggregation", "conclusion") else "circle",
        "itemStyle": {"color": colour_of(node.score), "opacity": FADED if faded else 1},
        "label": {"opacity": FADED * 2 if faded else 1},
    }


def _edge(graph: WholeGraph, edge: EdgeRow) -> dict[str, Any]:
    line, colour, word = KINDS.get(edge.edge_type, OTHER)
    faded = any(graph.by_id[each].pruning_id for each in _ends(edge))
    return {
        "source": str(edge.from_node),
        "target": str(edge.to_node),
        "value": word,
        "lineStyle": {
            "type": line,
            "color": colour,
            "width": WIDE if edge.edge_type == "aggregates" else 1.5,
            "opacity": FADED if faded else 0.9,
            "curveness": 0.08,
        },
    }


def _ends(edge: EdgeRow) -> tuple[UUID, UUID]:
    return edge.from_node, edge.to_node
