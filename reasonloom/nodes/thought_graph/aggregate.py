"""Merge nodes of a graph into one that keeps the best of each; the inputs stay active.

The merged node must beat the best input on blind ballots over both, or it becomes inactive.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.thought_graph.tools import AggregatedNode, GotAggregate
from reasonloom.errors import InvalidArgument
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.offline import remark
from reasonloom.nodes.reasoning.attempts import reply_notes
from reasonloom.nodes.runs.llm_call import Question, ask
from reasonloom.nodes.similarity import Similarity, similarity_of
from reasonloom.nodes.thought_graph.ballot_scoring import (
    JUDGE,
    ON_ONE,
    Candidate,
    ScoringState,
    Verdict,
    contest,
    lost_ballots_note,
    score_candidates,
)
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
from reasonloom.nodes.thought_graph.rendering import common_fields, render_edge, render_node
from reasonloom.nodes.thought_graph.state import (
    Thought,
    as_thoughts,
    complete_operation,
    place_of,
)
from reasonloom.stores.thought_graph import graph_edges, graph_nodes
from reasonloom.stores.thought_graph.graph_edges import NewEdge
from reasonloom.stores.thought_graph.graph_nodes import NewNode, NodeRow, Scored
from reasonloom.text.sentences import sentences_in

FIELD = "node_ids"
ANCESTOR = "node {number} comes from node {before}; a thought is not merged with its own ancestor"
UNJUDGED = "whether the merged thought is better than its inputs was not judged"
BETTER = "{votes} of {cast} blind ballots prefer the merged thought to node {number}"
BEATEN = (
    "{votes} of {cast} blind ballots do not prefer the merged thought to node {number}; it stays"
)
TWICE = "names node {number} twice; an aggregation merges different nodes"
TOO_DEEP = (
    "node {number} is at depth {depth}, the graph's max_depth: its aggregation would come below it"
)


class AggregateState(ScoringState, total=False):
    """The state of aggregating: the inputs in the order given, and the merged thought.

    The candidates are the inputs that the merged thought must beat, followed by itself. Runs
    started by an earlier version have none.
    """

    inputs: list[Thought]
    merged: Merged


async def find_inputs(state: AggregateState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Load the nodes and check that they may be merged."""
    execution = runtime.context
    request = execution.request(GotAggregate)
    graph = await read_open_graph(execution, request.graph_id)
    nodes = require_distinct(graph, request.node_ids, field=FIELD, twice=TWICE)
    _check_depth(graph, nodes)
    _check_lines(graph, nodes)
    return {
        "place": place_of(graph, request.problem),
        "inputs": as_thoughts(nodes),
        "memories": [],
        "candidates": [_candidate(str(node.id), node.content) for node in _rivals(nodes)],
    }


def _rivals(nodes: Sequence[NodeRow]) -> list[NodeRow]:
    """Return the inputs to beat: the best, or the best `ON_ONE` - 1 if some have no score."""
    ranked = sorted(nodes, key=lambda node: (-node.worth, node.number))
    scored = all(node.score is not None for node in nodes)
    return ranked[: 1 if scored else ON_ONE - 1]


def require_distinct(
    graph: ThoughtGraph, node_ids: Sequence[str], *, field: str, twice: str
) -> list[NodeRow]:
    """Return active nodes of a graph, rejecting duplicates.

    Raises:
        NodeNotFound: the graph has no such node, or the text is no UUID.
        InvalidArgument: a node is inactive, or named twice.
    """
    nodes = [graph.active_node(node_id, field=field) for node_id in node_ids]
    for place, node in enumerate(nodes):
        if node in nodes[:place]:
            raise InvalidArgument(twice.format(number=node.number), field=field)
    return nodes


def _check_depth(graph: ThoughtGraph, nodes: Sequence[NodeRow]) -> None:
    """Reject an aggregation that would exceed the graph's maximum depth.

    Raises:
        InvalidArgument: one of the nodes is at the maximum depth.
    """
    deepest = max(nodes, key=lambda node: node.depth)
    if deepest.depth >= graph.row.max_depth:
        message = TOO_DEEP.format(number=deepest.number, depth=deepest.depth)
        raise InvalidArgument(message, field=FIELD)


def _check_lines(graph: ThoughtGraph, nodes: Sequence[NodeRow]) -> None:
    """Reject merging a node with its own ancestor.

    Raises:
        InvalidArgument: one of the nodes was derived from another.
    """
    for node in nodes:
        line = {each.id for each in graph.line(node)}
        before = next((each for each in nodes if each.id in line), None)
        if before is not None:
            message = ANCESTOR.format(number=node.number, before=before.number)
            raise InvalidArgument(message, field=FIELD)


async def merge(state: AggregateState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Merge the inputs into one thought; the model sees them in an order seeded by the run.

    No thread is used, since it could reveal their authors and confidence.
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
    new = _candidate(str(execution.run.effect("node")), merged["content"])
    return {
        "merged": merged,
        "candidates": [*state.get("candidates", []), new],
        "notes": [*reply_notes(reply), *notes],
    }


def _candidate(node_id: str, content: str) -> Candidate:
    """Return a thought for ballots; its sources are omitted, as they would reveal the merger."""
    return Candidate(id=node_id, content=content, rests_on=[])


def is_compared(execution: Execution, state: AggregateState) -> bool:
    """Return whether ballots compare the merged thought with its inputs."""
    return not execution.loom.llm.offline and len(state.get("candidates", [])) > 1


async def persist_merged(state: AggregateState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Add the merged thought, its edges and the scores to the graph, and answer."""
    execution, inputs, merged = runtime.context, state["inputs"], state["merged"]
    texts = [merged["content"], *sentences_in(merged["content"])]
    likeness = await similarity_of(
        execution.loom.embedder, [*texts, *(each["content"] for each in inputs)]
    )
    kept, claims = used_inputs(merged, inputs, likeness)
    found, unquoted = find_conflicts(inputs, merged["conflicts"])
    verdict, scores, unscored = await _judged(execution, state)
    notes = [*likeness.notes, *claims, *unquoted, *unscored]
    async with execution.loom.database.begin(execution.caller) as tx:
        graph = await lock_open_graph(tx, state["place"]["graph"])
        nodes = [graph.active_node(each["id"], field=FIELD) for each in inputs]
        node = _node(execution, graph, merged, nodes)
        await graph_nodes.add(tx, [node])
        await graph_edges.add(tx, _edges(execution, graph, node, nodes, found, likeness))
        await graph_nodes.set_scores(tx, scores)
        if verdict is not None and not verdict.better:
            await graph_nodes.set_replaced(tx, node.id, UUID(verdict.rival))
        grown = await read_graph(tx, state["place"]["graph"])
        answer = _answer(execution, state, grown, kept, found, verdict)
        return await complete_operation(tx, execution, state, answer, notes, graph.row.session_id)


async def _judged(
    execution: Execution, state: AggregateState
) -> tuple[Verdict | None, dict[UUID, Scored], list[str]]:
    """Return the verdict on the merged thought, the scores of all judged nodes, and notes.

    The merged node's id is derived from this run, even if a fork reuses candidates of its origin.
    """
    candidates = state.get("candidates", [])
    if not state.get("cast"):
        lost = lost_ballots_note(execution, state) if is_compared(execution, state) else []
        return None, {}, lost
    *rivals, new = (each["id"] for each in candidates)
    graph = await read_open_graph(execution, state["place"]["graph"])
    scores, notes = await score_candidates(execution, state, graph)
    judged = {
        execution.run.effect("node") if each == new else UUID(each): scored
        for each, scored in scores.items()
        if scored.check == JUDGE
    }
    lost = lost_ballots_note(execution, state)
    return contest(state, new, rivals), judged, [*notes, *lost]


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
    """Return an edge from each input, weighted by similarity, and one for each new conflict."""
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


def _reason(graph: ThoughtGraph, verdict: Verdict | None) -> str:
    if verdict is None:
        return UNJUDGED
    number = graph.node(verdict.rival).number
    if verdict.better:
        return BETTER.format(votes=verdict.votes, cast=verdict.cast, number=number)
    return BEATEN.format(votes=verdict.votes, cast=verdict.cast, number=number)


def _answer(
    execution: Execution,
    state: AggregateState,
    graph: ThoughtGraph,
    kept: list[str],
    found: Sequence[Conflict],
    verdict: Verdict | None,
) -> AggregatedNode:
    run = execution.run
    node = graph.by_id[run.effect("node")]
    accepted = verdict is None or verdict.better
    missing = is_compared(execution, state) and bool(lost_ballots_note(execution, state))
    return AggregatedNode(
        node_id=str(node.id),
        node=render_node(node),
        edges=[render_edge(edge) for edge in graph.edges if edge.run_id == run.id],
        used=kept,
        conflicts=[describe_conflict(each) for each in found],
        preferred=str(node.id) if accepted or verdict is None else verdict.rival,
        accepted=accepted,
        reason=_reason(graph, verdict),
        **common_fields(execution, graph, partial=missing),
        **remark(execution),
    )
