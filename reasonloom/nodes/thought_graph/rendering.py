"""A graph of thoughts in answers: its nodes, edges, statistics and drawing."""

from collections import Counter
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.thought_graph.tools import GotState, GraphEdge, GraphNode, GraphState
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.state import ToolState
from reasonloom.nodes.thought_graph.graph import ThoughtGraph, read_graph
from reasonloom.nodes.thought_graph.picture import drawing
from reasonloom.stores.database import Transaction
from reasonloom.stores.sessions import thoughts
from reasonloom.stores.thought_graph.graph_edges import EdgeRow
from reasonloom.stores.thought_graph.graph_nodes import NodeRow
from reasonloom.stores.thought_graph.thought_graphs import GraphRow


def render_node(node: NodeRow) -> GraphNode:
    """Render a node for answers; parts, pruning and `replaced_by` only if present."""
    optional = {
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
        **{name: value for name, value in optional.items() if value is not None},
    )


def render_edge(edge: EdgeRow) -> GraphEdge:
    """Render an edge for answers."""
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


def common_fields(
    execution: Execution, graph: ThoughtGraph, *, partial: bool = False
) -> dict[str, Any]:
    """Return the fields that the answers of all operations share; `partial` only if it is true."""
    return {
        "graph_id": str(graph.row.id),
        "llm": execution.loom.llm.name,
        "run_id": str(execution.run.id),
        **({"partial": True} if partial else {}),
    }


def render_config(graph: GraphRow) -> dict[str, int | float]:
    """Return the limits of a graph."""
    return {
        "max_depth": graph.max_depth,
        "max_branches": graph.max_branches,
        "prune_threshold": graph.prune_threshold,
    }


async def render_graph(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the state and statistics of the request's graph."""
    execution = runtime.context
    request = execution.request(GotState)
    async with execution.loom.database.begin(execution.caller) as tx:
        graph = await read_graph(tx, request.graph_id)
        conclusion = await _conclusion(tx, graph)
    return {"answer": _rendered(graph, conclusion).wire()}


async def _conclusion(tx: Transaction, graph: ThoughtGraph) -> str | None:
    known = graph.row.conclusion_id
    return (await thoughts.require(tx, str(known))).content if known else None


def _rendered(graph: ThoughtGraph, conclusion: str | None) -> GraphState:
    nodes, active, cycle = graph.nodes, graph.active, graph.cycle()
    scored = [node for node in active if node.score is not None]
    best = max(scored, key=lambda node: (node.score, -node.number), default=None)
    return GraphState(
        graph_id=str(graph.row.id),
        session_id=str(graph.row.session_id),
        node_count=len(nodes),
        edge_count=len(graph.edges),
        max_depth=max(node.depth for node in nodes),
        active_nodes=len(active),
        terminal_nodes=sum(node.is_terminal for node in nodes),
        has_cycle=cycle is not None,
        cycle=[str(each) for each in cycle] if cycle else None,
        root_node_id=str(graph.root.id),
        pruned_nodes=sum(node.pruning_id is not None for node in nodes),
        replaced_nodes=sum(node.replaced_by is not None for node in nodes),
        unscored_nodes=len(unscored(graph)),
        leaves=[str(node.id) for node in graph.leaves],
        best_node_id=str(best.id) if best else None,
        node_types=dict(sorted(Counter(node.node_type for node in nodes).items())),
        edge_types=dict(sorted(Counter(edge.edge_type for edge in graph.edges).items())),
        config=render_config(graph.row),
        problem=graph.problem,
        finalized=graph.row.finalized_at is not None,
        conclusion=conclusion,
        mermaid=drawing(graph),
    )


def unscored(graph: ThoughtGraph) -> list[NodeRow]:
    """Return the active nodes without a score, except the root."""
    return [node for node in graph.active if node.score is None and node.id != graph.root.id]
