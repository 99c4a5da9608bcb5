"""A Graph of Thoughts as a chart, one node as a panel, and all nodes as a table."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from nicegui import ui

from reasonloom.nodes.thought_graph.graph import ThoughtGraph
from reasonloom.stores.thought_graph.graph_edges import EdgeRow
from reasonloom.stores.thought_graph.graph_nodes import NodeRow
from reasonloom.studio.widgets.charts import drawable
from reasonloom.studio.widgets.elements import facts, moment, prose, tag
from reasonloom.text.shortening import shortened

COLUMN, LINE = 190, 64
LOW, MIDDLE, HIGH = "#b8483f", "#d9a441", "#2f8f5b"
UNSCORED, FADED = "#8a939d", 0.28
MAX_LABEL = 22
KINDS = {
    "generates": ("solid", "#8a939d", "generates"),
    "refines": ("dashed", "#9a5ba5", "refines"),
    "aggregates": ("solid", "#3b6ea5", "aggregates"),
}
OTHER = ("dotted", "#8a939d", "relates")
WIDE = 3
"""Width of aggregating lines, so that they differ from others even without colour."""


def colour_of(score: float | None) -> str:
    """Return the colour of a score in three steps; the score is also displayed as text."""
    if score is None:
        return UNSCORED
    return LOW if score < 1 / 3 else MIDDLE if score < 2 / 3 else HIGH


def options(graph: ThoughtGraph, visible: int) -> dict[str, Any]:
    """Return the chart of the first `visible` nodes, in the order of creation."""
    nodes = graph.nodes[:visible]
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


def depths(graph: ThoughtGraph) -> int:
    """Return the largest number of nodes at one depth."""
    return max(Counter(node.depth for node in graph.nodes).values(), default=0)


def _nodes(graph: ThoughtGraph, nodes: Sequence[NodeRow]) -> Iterable[dict[str, Any]]:
    places: Counter[int] = Counter()
    widths = Counter(node.depth for node in graph.nodes)
    for node in nodes:
        place = places[node.depth]
        places[node.depth] += 1
        yield _chart_node(node, place - (widths[node.depth] - 1) / 2)


def _chart_node(node: NodeRow, place: float) -> dict[str, Any]:
    faded = node.pruning_id is not None or node.replaced_by is not None
    score = "not scored" if node.score is None else f"{node.score:.2f}"
    return {
        "id": str(node.id),
        "name": f"{node.number}. {drawable(shortened(node.content, MAX_LABEL))}",
        "value": f"{node.node_type}, {score}{', pruned' if node.pruning_id else ''}",
        "x": node.depth * COLUMN,
        "y": place * LINE,
        "symbolSize": 26 if node.is_terminal else 18,
        "symbol": "roundRect" if node.node_type in ("aggregation", "conclusion") else "circle",
        "itemStyle": {"color": colour_of(node.score), "opacity": FADED if faded else 1},
        "label": {"opacity": FADED * 2 if faded else 1},
    }


def _edge(graph: ThoughtGraph, edge: EdgeRow) -> dict[str, Any]:
    line, colour, word = KINDS.get(edge.edge_type, OTHER)
    faded = any(graph.by_id[each].pruning_id for each in (edge.from_node, edge.to_node))
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


MAX_NODES = 300
"""Rows of the table: active nodes before the others, then the newest."""

MAX_CELL = 110


def node_panel(graph: ThoughtGraph, node: NodeRow) -> None:
    """Draw one node with all its facts."""
    tag("h2", f"Thought {node.number}: {node.node_type}")
    parents = sorted(graph.by_id[each].number for each in graph.parents[node.id])
    facts(
        {
            "Score": _score(node),
            "Check": node.check,
            **{
                name: f"{part:.2f}"
                for name, part in node.parts.items()
                if isinstance(part, int | float)
            },
            "Claims": f"{node.confidence:.2f} sure",
            "Came from": ", ".join(map(str, parents)) or "the problem",
            "State": _state(graph, node),
            "Language model": node.llm,
            "Stored": moment(node.created_at),
            "Run": ("open", f"/run/{node.run_id}") if node.run_id else None,
        }
    )
    prose(node.content)


def node_table(graph: ThoughtGraph, choose: Callable[[str], object]) -> None:
    """Draw every node as a row, up to MAX_NODES; its number opens it."""
    ordered = sorted(graph.nodes, key=lambda node: (not node.is_active, -node.number))[:MAX_NODES]
    tag("h2", "All thoughts")
    wide = ui.element("div").classes("studio-wide")
    wide.props.update({"role": "region", "tabindex": "0", "aria-label": "All thoughts"})
    with wide, ui.element("table").classes("studio-table"):
        if len(ordered) < len(graph.nodes):
            tag("caption", f"{len(ordered)} of {len(graph.nodes):,}, those that take part first")
        with ui.element("thead"), ui.element("tr"):
            for head in ("thought", "says", "kind", "score", "state"):
                tag("th", head, scope="col")
        with ui.element("tbody"):
            for node in sorted(ordered, key=lambda node: node.number):
                _row(graph, node, choose)


def _row(graph: ThoughtGraph, node: NodeRow, choose: Callable[[str], object]) -> None:
    with ui.element("tr"):
        with ui.element("td"):
            button = tag("button", f"{node.number}", "studio-open", type="button")
            button.on("click", lambda: choose(str(node.id)))
        tag("td", shortened(node.content, MAX_CELL), dir="auto")
        tag("td", node.node_type)
        tag("td", _score(node), "number")
        tag("td", _state(graph, node))


def _score(node: NodeRow) -> str:
    return "not scored" if node.score is None else f"{node.score:.2f}"


def _state(graph: ThoughtGraph, node: NodeRow) -> str:
    if node.pruning_id:
        return "pruned"
    if node.replaced_by:
        return f"beaten by {graph.by_id[node.replaced_by].number}"
    return "concludes" if node.is_terminal else "takes part"
