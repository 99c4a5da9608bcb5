"""A whole Graph of Thoughts, and what can be computed from its structure."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import TypeVar
from uuid import UUID

from reasonloom.errors import InvalidArgument, NodeNotFound
from reasonloom.nodes.execution import Execution
from reasonloom.stores.database import Transaction
from reasonloom.stores.identifiers import parse_uuid
from reasonloom.stores.thought_graph import graph_edges, graph_nodes, thought_graphs
from reasonloom.stores.thought_graph.graph_edges import EdgeRow
from reasonloom.stores.thought_graph.graph_nodes import NodeRow
from reasonloom.stores.thought_graph.thought_graphs import GraphRow

GROWTH = ("generates", "refines", "aggregates")
"""Edges from a thought to one derived from it; all other edges only relate thoughts."""

FINALISED = (
    "the graph is finalized: nothing in it changes any more; begin a new one from its conclusion"
)
PRUNED = "node {number} was pruned; undo that with restore: true in reasoning_got_prune"
BEATEN = "node {number} was beaten by node {by}; continue from that one"


K = TypeVar("K")


def reachable(starts: Iterable[K], parents_of: Callable[[K], Iterable[K]]) -> set[K]:
    """Return `starts` with all their ancestors."""
    found: set[K] = set()
    waiting = list(starts)
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.add(each)
            waiting.extend(parents_of(each))
    return found


@dataclass(frozen=True)
class ThoughtGraph:
    """A graph with all its nodes, in creation order, and all its edges.

    The edges are in the order of their target nodes.
    """

    row: GraphRow
    nodes: list[NodeRow]
    edges: list[EdgeRow]

    @property
    def problem(self) -> str:
        """Return the problem of the graph, or else the content of its root."""
        return self.row.problem or self.root.content

    @property
    def root(self) -> NodeRow:
        """Return the first node."""
        return self.nodes[0]

    @cached_property
    def by_id(self) -> dict[UUID, NodeRow]:
        """Return the nodes by id."""
        return {node.id: node for node in self.nodes}

    @property
    def active(self) -> list[NodeRow]:
        """Return the active nodes."""
        return [node for node in self.nodes if node.is_active]

    @cached_property
    def parents(self) -> dict[UUID, list[UUID]]:
        """Return, for each node, the nodes it was derived from."""
        found: dict[UUID, list[UUID]] = {node.id: [] for node in self.nodes}
        for edge in self.edges:
            if edge.edge_type in GROWTH:
                found[edge.to_node].append(edge.from_node)
        return found

    @cached_property
    def children(self) -> dict[UUID, list[UUID]]:
        """Return, for each node, the nodes derived from it."""
        found: dict[UUID, list[UUID]] = {node.id: [] for node in self.nodes}
        for child, parents in self.parents.items():
            for parent in parents:
                found[parent].append(child)
        return found

    @property
    def leaves(self) -> list[NodeRow]:
        """Return the active nodes without active children; the root counts if it is alone."""
        return [
            node
            for node in self.active
            if not any(self.by_id[child].is_active for child in self.children[node.id])
        ]

    def branches_of(self, node: NodeRow) -> int:
        """Return the number of children generated from a node, without pruned ones."""
        return sum(
            edge.edge_type == "generates"
            and edge.from_node == node.id
            and self.by_id[edge.to_node].pruning_id is None
            for edge in self.edges
        )

    def cycle(self) -> list[UUID] | None:
        """Return the nodes of a cycle among the derivation edges, or None.

        Found by topological sorting (Kahn 1962). Edges that only relate nodes may form cycles.
        """
        try:
            TopologicalSorter(self.parents).prepare()
        except CycleError as found:
            return list(found.args[1])
        return None

    def line(self, node: NodeRow) -> list[NodeRow]:
        """Return a node's ancestors, root first, excluding the node."""
        line = reachable(self.parents[node.id], self.parents.__getitem__)
        return [each for each in self.nodes if each.id in line and each.id != node.id]

    def node(self, node_id: str, *, field: str = "node_id") -> NodeRow:
        """Return a node of this graph.

        Raises:
            NodeNotFound: the graph has no such node, or the text is no UUID.
        """
        wanted = parse_uuid(node_id)
        if wanted is None or wanted not in self.by_id:
            raise NodeNotFound(node_id, field=field)
        return self.by_id[wanted]

    def active_node(self, node_id: str, *, field: str = "node_id") -> NodeRow:
        """Return an active node of this graph.

        Raises:
            NodeNotFound: the graph has no such node, or the text is no UUID.
            InvalidArgument: the node is inactive; the message says why.
        """
        node = self.node(node_id, field=field)
        if node.pruning_id:
            raise InvalidArgument(PRUNED.format(number=node.number), field=field)
        if node.replaced_by:
            message = BEATEN.format(number=node.number, by=node.replaced_by)
            raise InvalidArgument(message, field=field)
        return node


async def read_graph(tx: Transaction, graph_id: str) -> ThoughtGraph:
    """Load a graph for reading.

    Raises:
        GraphNotFound: this owner has no such graph, or the text is no UUID.
    """
    return await _load(tx, await thought_graphs.require(tx, graph_id))


async def read_open_graph(execution: Execution, graph_id: str) -> ThoughtGraph:
    """Load a graph that is not finalized, for reading, in a transaction of its own.

    Raises:
        GraphNotFound: this owner has no such graph, or the text is no UUID.
        InvalidArgument: the graph is finalized.
    """
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        return _require_open(await read_graph(tx, graph_id))


async def lock_open_graph(tx: Transaction, graph_id: str) -> ThoughtGraph:
    """Load a graph that is not finalized, and lock it until the transaction ends.

    Raises:
        GraphNotFound: this owner has no such graph, or the text is no UUID.
        InvalidArgument: the graph is finalized.
    """
    return _require_open(await _load(tx, await thought_graphs.hold(tx, graph_id)))


def _require_open(graph: ThoughtGraph) -> ThoughtGraph:
    if graph.row.finalized_at:
        raise InvalidArgument(FINALISED, field="graph_id")
    return graph


async def _load(tx: Transaction, row: GraphRow) -> ThoughtGraph:
    nodes = await graph_nodes.of_graph(tx, row.id)
    place = {node.id: node.number for node in nodes}
    edges = [
        edge
        for edge in await graph_edges.of_graph(tx, row.id)
        if edge.to_node in place and edge.from_node in place  # else added since the nodes were read
    ]
    edges.sort(key=lambda edge: (place[edge.to_node], place[edge.from_node]))
    return ThoughtGraph(row, nodes, edges)
