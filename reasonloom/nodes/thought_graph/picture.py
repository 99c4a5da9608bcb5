"""Draw a graph with Mermaid, or as JSON for `loom-graph`: nodes with scores, kinds of edges.

Mermaid rejects drawings of more than 50,000 characters or 500 edges, so a large graph is drawn only
in part: active nodes before inactive ones, older before newer.
"""

from collections.abc import Iterator
from typing import Any

from reasonloom.nodes.thought_graph.graph import ThoughtGraph
from reasonloom.stores.thought_graph.graph_edges import EdgeRow
from reasonloom.stores.thought_graph.graph_nodes import NodeRow
from reasonloom.text.mermaid import in_mermaid
from reasonloom.text.shortening import shortened

MOST_DRAWN = 100
"""Maximum nodes in one drawing."""

MOST_EDGES = 400
LONGEST_CHART = 45_000
LONGEST_LABEL = 48
UNSCORED = "unscored"
LINES = {
    "generates": "-->",
    "refines": "-. refines .->",
    "aggregates": "==>",
    "supports": "--o|supports|",
    "contradicts": "--x|contradicts|",
}
LOOKS = (
    "classDef root stroke-width:3px",
    "classDef terminal stroke:green,stroke-width:3px",
    "classDef inactive opacity:0.4,stroke-dasharray:4",
)


def drawing(graph: ThoughtGraph) -> str:
    """Return the Mermaid flowchart of a graph."""
    most = MOST_DRAWN
    while len(text := "\n".join(_lines(graph, most))) > LONGEST_CHART:
        most //= 2
    return text


def _lines(graph: ThoughtGraph, most: int) -> Iterator[str]:
    first = sorted(graph.nodes, key=lambda node: (not node.is_active, node.number))[:most]
    drawn = {node.id: node for node in sorted(first, key=lambda node: node.number)}
    edges = [each for each in graph.edges if each.from_node in drawn and each.to_node in drawn]
    yield "flowchart TD"
    for node in drawn.values():
        yield _node(node)
    for edge in edges[:MOST_EDGES]:
        yield _edge(edge, drawn[edge.from_node], drawn[edge.to_node])
    if len(graph.nodes) > len(drawn):
        yield f'more["{len(graph.nodes) - len(drawn)} more nodes, not drawn"]'
    if len(edges) > MOST_EDGES:
        yield f'edges["{len(edges) - MOST_EDGES} more edges, not drawn"]'
    yield from LOOKS


def _node(node: NodeRow) -> str:
    score = UNSCORED if node.score is None else f"{node.score:.2f}"
    fate = ", pruned" if node.pruning_id else ", beaten" if node.replaced_by else ""
    first = f"{node.number} · {node.node_type} · {score}{fate}"
    content = in_mermaid(shortened(node.content, LONGEST_LABEL))
    return f'n{node.number}["{first}<br/>{content}"]{_look(node)}'


def _look(node: NodeRow) -> str:
    if not node.is_active:
        return ":::inactive"
    if node.is_terminal:
        return ":::terminal"
    return ":::root" if node.node_type == "root" else ""


def _edge(edge: EdgeRow, start: NodeRow, end: NodeRow) -> str:
    return f"n{start.number} {LINES[edge.edge_type]} n{end.number}"


LONGEST_NAME = 22
"""Maximum characters of a label in `loom-graph`."""


def graph_drawing(graph: ThoughtGraph, most: int | None = None) -> dict[str, Any]:
    """Return the first `most` nodes, in the order of creation, and their edges for `loom-graph`."""
    nodes = graph.nodes[:most]
    known = {node.id for node in nodes}
    return {
        "nodes": [_drawn(node) for node in nodes],
        "edges": [
            {
                "from": str(edge.from_node),
                "to": str(edge.to_node),
                "type": edge.edge_type,
                "faded": any(graph.by_id[end].pruning_id for end in (edge.from_node, edge.to_node)),
            }
            for edge in graph.edges
            if known >= {edge.from_node, edge.to_node}
        ],
    }


def _drawn(node: NodeRow) -> dict[str, Any]:
    return {
        "id": str(node.id),
        "number": node.number,
        "depth": node.depth,
        "label": shortened(node.content, LONGEST_NAME),
        "type": node.node_type,
        "score": node.score,
        "terminal": node.is_terminal,
        "pruned": node.pruning_id is not None,
        "faded": not node.is_active,
    }
