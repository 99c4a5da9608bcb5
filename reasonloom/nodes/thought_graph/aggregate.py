"""Merges nodes of a graph into one that keeps the best of each; they stay active."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.thought_graph.tools import AggregatedNode, GotAggregate
from reasonloom.errors import InvalidArgument
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.offline import remark
from reasonloom.nodes.reasoning.attempts import reply_notes
from reasonloom.nodes.runs.llm_call import Question, ask
from reasonloom.nodes.similarity import Similarity, similarity_of
from reasonloom.nodes.thought_graph.graph import (
    ThoughtGraph,
    lock_open_graph,
    read_graph,
    read_open_graph,
)
from reasonloom.nodes.thought_graph.merging import (
    EXTRACTED,
    Conflict,
    Merged,
    describe_conflict,
    extract_inputs,
    find_conflicts,
    label_inputs,
    prompt_inputs,
    used_inputs,
)
from reasonloom.nodes.thought_graph.merging import read_merger as read_merged
from reasonloom.nodes.thought_graph.rendering import render_edge, render_node
from reasonloom.nodes.thought_graph.state import (
    GotToolState,
    Thought,
    as_thoughts,
    complete_operation,
    place_of,
)
from reasonloom.stores.thought_graph import graph_edges, graph_nodes
from reasonloom.stores.thought_graph.graph_edges import NewEdge
from reasonloom.stores.thought_graph.graph_nodes import NewNode
from reasonloom.text.sentences import sentences_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasonloom.stores.thought_graph.graph_nodes import NodeRow

FIELD = "node_ids"
TWICE = "names node {number} twice; an aggregation merges different nodes"
TOO_DEEP = (
    "node {number} is at depth {depth}, the graph's max_depth: its aggregation would come below it"
)


class AggregateState(GotToolState, total=False):
    """The state of aggregating: the inputs in the order they were named, and the merger."""

    inputs: list[Thought]
    merged: Merged


async def find_inputs(state: AggregateState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Find the nodes, and check that they may be merged."""
    execution = runtime.context
    request = execution.request(GotAggregate)
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        graph = await read_open_graph(tx, request.graph_id)
    nodes = require_distinct(graph, request.node_ids, field=FIELD, twice=TWICE)
    _check_depth(graph, nodes)
    return {"place": place_of(graph, request.problem), "inputs": as_thoughts(nodes)}


def require_distinct(
    graph: ThoughtGraph, node_ids: Sequence[str], *, field: str, twice: str
) -> list[NodeRow]:
    """Return active nodes of a graph, each named once.

    Raises:
        NodeNotFound: the graph has none such, or the text is no uuid.
        InvalidArgument: one is inactive, or named twice.
    """
    nodes = [graph.active_node(node_id, field=field) for node_id in node_ids]
    for place, node in enumerate(nodes):
        if node in nodes[:place]:
            raise InvalidArgument(twice.format(number=node.number), field=field)
    return nodes


def _check_depth(graph: ThoughtGraph, nodes: Sequence[NodeRow]) -> None:
    """Refuse an aggregation that would be too deep.

    Raises:
        InvalidArgument: one of the nodes is as deep as the graph may be.
    """
    deepest = max(nodes, key=lambda node: node.depth)
    if deepest.depth >= graph.row.max_depth:
        message = TOO_DEEP.format(number=deepest.number, depth=deepest.depth)
        raise InvalidArgument(message, field=FIELD)


async def merge(state: AggregateState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Ask for one thought in place of the inputs, which it sees in an order drawn by lot.

    No thread is used, since it could reveal who wrote them and how confident they were.
    """
    execution, place, inputs = runtime.context, state["place"], state["inputs"]
    if execution.loom.llm.offline:
        return {"merged": extract_inputs(inputs), "notes": [EXTRACTED]}
    by_label = label_inputs(inputs, str(execution.run.id))
    question = Question(
        node="merge",
        prompt="got/aggregate",
        variables={"problem": place["problem"], "inputs": prompt_inputs(by_label)},
        pipe="got_aggregate",
    )
    reply = await ask(execution, question)
    merged, notes = read_merged(reply, by_label)
    return {"merged": merged, "notes": [*reply_notes(reply), *notes]}


async def persist_merged(state: AggregateState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Add the merged thought and its edges to the graph, and answer."""
    execution, inputs, merged = runtime.context, state["inputs"], state["merged"]
    texts = [merged["content"], *sentences_in(merged["content"])]
    likeness = await similarity_of(
        execution.loom.embedder, [*texts, *(each["content"] for each in inputs)]
    )
    kept, claims = used_inputs(merged, inputs, likeness)
    found, unquoted = find_conflicts(inputs, merged["conflicts"])
    notes = [*likeness.notes, *claims, *unquoted]
    async with execution.loom.database.begin(execution.caller) as tx:
        graph = await lock_open_graph(tx, state["place"]["graph"])
        nodes = [graph.active_node(each["id"], field=FIELD) for each in inputs]
        node = _node(execution, graph, merged, nodes)
        await graph_nodes.add(tx, [node])
        await graph_edges.add(tx, _edges(execution, graph, node, nodes, found, likeness))
        grown = await read_graph(tx, state["place"]["graph"])
        answer = _answer(execution, grown, kept, found)
        return await complete_operation(tx, execution, state, answer, notes)


def _node(
    execution: Execution, graph: ThoughtGraph, merged: Merged, nodes: Sequence[NodeRow]
) -> NewNode:
    return NewNode(
        id=execution.run.effect("node"),
        graph_id=graph.row.id,
        node_type="aggregation",
        content=merged["content"],
        depth=max(node.depth for node in nodes) + 1,
        confidence=merged["confidence"],
        run_id=execution.run.id,
        llm=execution.loom.llm.name,
    )


def _edges(
    execution: Execution,
    graph: ThoughtGraph,
    node: NewNode,
    nodes: Sequence[NodeRow],
    found: Sequence[Conflict],
    likeness: Similarity,
) -> list[NewEdge]:
    """Return an edge from each input, weighted by likeness, and one for each new conflict."""
    run = execution.run
    known = [
        {str(each.from_node), str(each.to_node)}
        for each in graph.edges
        if each.edge_type == "contradicts"
    ]
    merged = [
        NewEdge(
            run.effect("edge", str(each.id)), graph.row.id, each.id, node.id, "aggregates",
            likeness.of(each.content, node.content), run.id,
        )
        for each in nodes
    ]  # fmt: skip
    against = [
        NewEdge(
            run.effect("against", f"{each.first['id']} {each.second['id']}"), graph.row.id,
            UUID(each.first["id"]), UUID(each.second["id"]), "contradicts", each.weight, run.id,
            each.reason,
        )
        for each in found
        if {each.first["id"], each.second["id"]} not in known
    ]  # fmt: skip
    return [*merged, *against]


def _answer(
    execution: Execution, graph: ThoughtGraph, kept: list[str], found: Sequence[Conflict]
) -> AggregatedNode:
    run = execution.run
    node = graph.by_id[run.effect("node")]
    return AggregatedNode(
        graph_id=str(graph.row.id),
        node_id=str(node.id),
        node=render_node(node),
        edges=[render_edge(edge) for edge in graph.edges if edge.run_id == run.id],
        used=kept,
        conflicts=[describe_conflict(each) for each in found],
        llm=execution.loom.llm.name,
        run_id=str(run.id),
        **remark(execution),
    )
