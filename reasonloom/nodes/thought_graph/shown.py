"""How the nodes and edges of a graph are shown in answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasonloom.contracts.thought_graph.tools import GraphEdge, GraphNode

if TYPE_CHECKING:
    from reasonloom.stores.thought_graph.graph_edges import EdgeRow
    from reasonloom.stores.thought_graph.graph_nodes import NodeRow
    from reasonloom.stores.thought_graph.thought_graphs import GraphRow


def shown_node(node: NodeRow) -> GraphNode:
    """Return a node as answers show it; its parts, pruning and victor only where it has them."""
    told = {
        "parts": {name: round(part, 4) for name, part in node.parts.items()} or None,
        "pruned": True if node.pruning_id else None,
        "replaced_by": str(node.replaced_by) if node.replaced_by else None,
    }
    return GraphNode(
        id=str(node.id),
        graph_id=str(node.graph_id),
        content=node.content,
        node_type=node.node_type,
        score=round(node.worth, 4),
        depth=node.depth,
        is_active=node.is_active,
        is_terminal=node.is_terminal,
        created_at=node.created_at.isoformat(),
        number=node.number,
        confidence=node.confidence,
        check=node.check,
        **{name: value for name, value in told.items() if value is not None},
    )


def shown_edge(edge: EdgeRow) -> GraphEdge:
    """Return an edge as answers show it."""
    return GraphEdge(
        id=str(edge.id),
        graph_id=str(edge.graph_id),
        from_node=str(edge.from_node),
        to_node=str(edge.to_node),
        edge_type=edge.edge_type,
        weight=round(edge.weight, 4),
        created_at=edge.created_at.isoformat(),
        **({"reason": edge.reason} if edge.reason else {}),
    )


def shown_config(graph: GraphRow) -> dict[str, int | float]:
    """Return the limits of a graph."""
    return {
        "max_depth": graph.max_depth,
        "max_branches": graph.max_branches,
        "prune_threshold": graph.prune_threshold,
    }
