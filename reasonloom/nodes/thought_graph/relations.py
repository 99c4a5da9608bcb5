"""Edges `supports` and `contradicts`: where most ballots see one, or the words show it."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING
from uuid import UUID

from reasonloom.stores.thought_graph.graph_edges import NewEdge
from reasonloom.text.contradiction import contradiction

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution
    from reasonloom.nodes.thought_graph.scoring import Cast
    from reasonloom.stores.thought_graph.graph_nodes import NodeRow

MOST_OTHERS = 5
"""Thoughts that a ballot on one thought shows beside it: those most like it."""

BY_WORDS = 0.5
"""Weight of a contradiction that was found by words alone."""


def seen_by(cast: list[Cast]) -> dict[tuple[str, str, str], tuple[float, str]]:
    """Return what most ballots see: (thought, kind, other) -> their share, a reason."""
    said: dict[tuple[str, str, str], dict[int, str]] = defaultdict(dict)
    for each in cast:
        for thought, kind, other, why in each["relations"]:
            said[thought, kind, other].setdefault(each["number"], why)
    return {
        relation: (len(whys) / len(cast), whys[min(whys)])
        for relation, whys in said.items()
        if 2 * len(whys) > len(cast)
    }


def by_words(node: NodeRow, others: list[NodeRow]) -> dict[tuple[str, str, str], tuple[float, str]]:
    """Return the contradictions between a thought and others that their words show."""
    found = {other.id: contradiction(node.content, other.content) for other in others}
    return {
        (str(node.id), "contradicts", str(other)): (BY_WORDS, why)
        for other, why in found.items()
        if why
    }


def edges(
    execution: Execution, graph_id: UUID, found: dict[tuple[str, str, str], tuple[float, str]]
) -> list[NewEdge]:
    """Return relations as edges to be drawn, from the thought that was looked at."""
    return [
        NewEdge(
            id=execution.run.effect("relation", f"{thought}.{kind}.{other}"),
            graph_id=graph_id,
            from_node=UUID(thought),
            to_node=UUID(other),
            edge_type=kind,
            weight=weight,
            run_id=execution.run.id,
            reason=why,
        )
        for (thought, kind, other), (weight, why) in found.items()
    ]
