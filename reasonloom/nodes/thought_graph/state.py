"""What an operation sees of a graph, as plain data that can be saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasonloom.nodes.thought_graph.got_state import Place, Thought

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reasonloom.nodes.thought_graph.graph import WholeGraph
    from reasonloom.stores.thought_graph.graph_nodes import NodeRow

MOST_LINE = 12
"""Thoughts before a node that a prompt shows: the root and the latest ones."""


def placed(graph: WholeGraph, problem: str | None) -> Place:
    """Return where an operation works; a problem that the call gives goes before the graph's."""
    return Place(
        graph=str(graph.row.id),
        session=str(graph.row.session_id),
        problem=problem or graph.problem,
    )


def thought(node: NodeRow) -> Thought:
    """Return a node as prompts see it."""
    return Thought(id=str(node.id), number=node.number, content=node.content, depth=node.depth)


def thoughts(nodes: Iterable[NodeRow]) -> list[Thought]:
    """Return nodes as prompts see them."""
    return [thought(node) for node in nodes]


def line_of(graph: WholeGraph, node: NodeRow) -> list[Thought]:
    """Return what a node came from, root first; of a long line the root and the latest thoughts."""
    line = thoughts(graph.line(node))
    return line if len(line) <= MOST_LINE else [line[0], *line[1 - MOST_LINE :]]
