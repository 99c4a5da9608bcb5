"""One node of a Graph of Thoughts as a panel, and all nodes as a table."""

from collections.abc import Callable

from nicegui import ui

from reasonloom.nodes.thought_graph.graph import ThoughtGraph
from reasonloom.stores.thought_graph.graph_nodes import NodeRow
from reasonloom.studio.widgets.elements import facts, moment, prose, tag
from reasonloom.text.shortening import shortened

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
            tag("caption", f"{len(ordered)} of {len(graph.nodes):,}, active ones first")
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
