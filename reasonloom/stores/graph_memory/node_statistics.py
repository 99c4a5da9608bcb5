"""Counts what is weak in the graph, and finds examples of it; only current nodes are judged."""

from collections.abc import Sequence
from dataclasses import dataclass

from reasonloom.stores.database import Transaction
from reasonloom.stores.graph_memory.memory_nodes import VISIBLE_NODES
from reasonloom.stores.pipelines import together
from reasonloom.stores.statements import load

WEIGHED = 1_000
"""The newest memories whose rows are measured; where there are more, the size is estimated."""

SQL = load(__file__, visible_nodes=VISIBLE_NODES)


@dataclass(frozen=True, slots=True)
class GraphCounts:
    """What graph memory shows of an owner.

    Attributes:
        sessions: those with a visible node.
        edges: by type, those between visible nodes.
        bytes: of the owner's rows in memories, embeddings and edges, visible or not;
            `estimated` from the newest WEIGHED memories.
    """

    types: dict[str, int]
    superseded: int
    sessions: int
    edges: dict[str, int]
    bytes: int
    estimated: bool


async def count_graph(tx: Transaction) -> GraphCounts:
    """Count the graph of the transaction's owner and space."""
    nodes, sessions, edges, [(weighed, stored, size)] = await together(
        tx.tuples(SQL.nodes),
        tx.number(SQL.sessions),
        tx.tuples(SQL.edges),
        tx.tuples(SQL.bytes, {"weighed": WEIGHED}),
    )
    estimated = weighed < stored
    whole = int(size) * stored // weighed if estimated and weighed else int(size)
    return GraphCounts(
        types={kind: number for kind, number, _ in nodes},
        superseded=sum(superseded for *_, superseded in nodes),
        sessions=sessions,
        edges=dict(edges),
        bytes=whole,
        estimated=estimated,
    )


@dataclass(frozen=True, slots=True)
class GraphQuality:
    """The number of nodes, and how many are weak in which way, with examples of each.

    Attributes:
        nodes: all that graph memory shows; the other counts are of those that are current.
        weak: of low confidence, the lowest first.
        stale: of low strength, the weakest first.
        orphans: joined to no other by anything but a session's course, the newest first.
        unsupported: decisions without grounds that are current, the newest first.
        opposed: pairs of which one contradicts the other, the newest first; `opposing` is how
            many nodes stand in one.
    """

    nodes: int
    current: int
    decisions: int
    weak: int
    weakest: Sequence[int]
    stale: int
    stalest: Sequence[int]
    orphans: int
    some_orphans: Sequence[int]
    unsupported: int
    some_unsupported: Sequence[int]
    opposed: int
    opposing: int
    some_opposed: Sequence[tuple[int, int]]


async def graph_quality(tx: Transaction, *, low: float, stale: float, most: int) -> GraphQuality:
    """Return the weak nodes: confidence below `low`, strength below `stale`; `most` of each."""
    [row] = await tx.tuples(SQL.judge, {"low": low, "stale": stale, "most": most})
    return GraphQuality(*row)
