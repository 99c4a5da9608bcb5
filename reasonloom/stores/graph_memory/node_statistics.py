"""Counts weak parts of the graph and finds examples of them; only current nodes are judged."""

from collections.abc import Sequence
from dataclasses import dataclass

from reasonloom.stores.database import Transaction
from reasonloom.stores.graph_memory.memory_nodes import VISIBLE_NODES
from reasonloom.stores.pipelines import together
from reasonloom.stores.statements import load

WEIGHED = 1_000
"""The newest memories whose rows are measured; with more memories, the size is estimated."""

SQL = load(__file__, visible_nodes=VISIBLE_NODES)


@dataclass(frozen=True, slots=True)
class GraphCounts:
    """The counts of an owner's graph memory.

    Attributes:
        sessions: those with a visible node.
        edges: the edges between visible nodes, by type.
        bytes: the size of the owner's rows in memories, embeddings and edges, visible or not;
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
    """The number of nodes, and of those with each kind of weakness, with examples.

    Attributes:
        nodes: all visible nodes; the other counts cover only current ones.
        weak: nodes of low confidence, lowest first.
        stale: nodes of low strength, weakest first.
        orphans: nodes without edges other than those of a session's sequence, newest first.
        unsupported: decisions without current grounds, newest first.
        opposed: pairs in which one node contradicts the other, newest first; `opposing` is the
            number of nodes in such pairs.
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
