"""Which nodes of a graph a pruning takes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Set
    from uuid import UUID

    from reasonloom.nodes.thought_graph.graph import WholeGraph
    from reasonloom.stores.thought_graph.graph_nodes import NodeRow


class Cut(NamedTuple):
    """What a pruning takes out, and the low nodes that it leaves because they lead to others."""

    pruned: list[NodeRow]
    kept_below: list[NodeRow]


def cut(graph: WholeGraph, threshold: float, unscored: Set[UUID]) -> Cut:
    """Return what a pruning at `threshold` takes out, each list in the order of the nodes.

    An active node goes where its worth is below the threshold and no active node that came from
    it, directly or through others, stays. So whole branches go, leaves first, and every node
    that stays keeps what it came from. The root, terminal nodes and `unscored` ones always stay.
    """
    sure = {
        node.id
        for node in graph.active
        if node.id == graph.root.id
        or node.is_terminal
        or node.id in unscored
        or node.worth >= threshold
    }
    needed = set(sure)
    waiting = list(sure)
    while waiting:
        for parent in graph.parents[waiting.pop()]:
            if parent not in needed:
                needed.add(parent)
                waiting.append(parent)
    return Cut(
        pruned=[node for node in graph.active if node.id not in needed],
        kept_below=[node for node in graph.active if node.id in needed and node.id not in sure],
    )
