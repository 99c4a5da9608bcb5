"""Prune low-scoring nodes of a graph, preview a pruning, or restore the last one."""

from collections.abc import Set
from typing import Any, NamedTuple
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.thought_graph.tools import PrunedGraph, ReversiblePrune
from reasonloom.errors import InvalidArgument
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.offline import remark
from reasonloom.nodes.reasoning.context import recall_for
from reasonloom.nodes.thought_graph.ballot_scoring import (
    ScoringState,
    as_candidate,
    ballot_scores,
    score_candidates,
)
from reasonloom.nodes.thought_graph.graph import (
    ThoughtGraph,
    lock_open_graph,
    reachable,
    read_graph,
    read_open_graph,
)
from reasonloom.nodes.thought_graph.rendering import common_fields, unscored
from reasonloom.nodes.thought_graph.state import complete_operation, place_of
from reasonloom.stores.database import Transaction
from reasonloom.stores.thought_graph import graph_nodes
from reasonloom.stores.thought_graph.graph_nodes import NodeRow, Scored


class PruningPlan(NamedTuple):
    """The nodes that a pruning removes, and low-scoring ones that remain as ancestors."""

    pruned: list[NodeRow]
    kept_below: list[NodeRow]


def plan_pruning(graph: ThoughtGraph, threshold: float, unscored: Set[UUID]) -> PruningPlan:
    """Return what a pruning at `threshold` removes, each list in node order.

    An active node is removed if its worth is below the threshold and no active descendant remains.
    So whole branches are removed, and every remaining node keeps its ancestors. The root, terminal
    nodes and `unscored` ones always remain.
    """
    sure = {
        node.id
        for node in graph.active
        if node.id == graph.root.id
        or node.is_terminal
        or node.id in unscored
        or node.worth >= threshold
    }
    needed = reachable(sure, graph.parents.__getitem__)
    return PruningPlan(
        pruned=[node for node in graph.active if node.id not in needed],
        kept_below=[node for node in graph.active if node.id in needed and node.id not in sure],
    )


NOTHING = "nothing to restore: every pruning of the graph has been undone"
LEFT = "some could not be scored and are kept, by number: {numbers}"
PREVIEWED = (
    "nothing was pruned; the scores that were made for it are kept, so that pruning at "
    "{threshold:g} takes out exactly these"
)


async def find_unscored(state: ScoringState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Load the nodes that must be scored first."""
    execution = runtime.context
    request = execution.request(ReversiblePrune)
    graph = await read_open_graph(execution, request.graph_id)
    place = place_of(graph, None)
    nodes = [] if request.restore else unscored(graph)
    memories, notes = await recall_for(execution, place["problem"]) if nodes else ([], [])
    return {
        "place": place,
        "memories": memories,
        "candidates": [as_candidate(graph, node) for node in nodes],
        "others": [],
        "notes": notes,
    }


async def take_out(state: ScoringState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store the scores, prune the low-scoring nodes unless this is a preview, and answer."""
    execution = runtime.context
    request = execution.request(ReversiblePrune)
    scores, notes = await _scores(execution, state)
    async with execution.loom.database.begin(execution.caller) as tx:
        graph = await lock_open_graph(tx, state["place"]["graph"])
        scored = [node for node in unscored(graph) if str(node.id) in scores]
        await graph_nodes.set_scores(tx, {node.id: scores[str(node.id)] for node in scored})
        graph = await read_graph(tx, state["place"]["graph"])
        done = _pruned_graph(execution, graph, request, scored)
        if done.pruned and not request.preview:
            await _prune(tx, execution, graph, done)
        notes = [*notes, *_notes(graph, done)]
        return await complete_operation(tx, execution, state, done, notes, graph.row.session_id)


async def _scores(execution: Execution, state: ScoringState) -> tuple[dict[str, Scored], list[str]]:
    """Return the scores of the candidates with ballots, or of all candidates offline."""
    judged = [
        each
        for each in state["candidates"]
        if execution.loom.llm.offline or ballot_scores(state, each["id"])
    ]
    if not judged:
        return {}, []
    graph = await read_open_graph(execution, state["place"]["graph"])
    return await score_candidates(execution, {**state, "candidates": judged}, graph)


def _pruned_graph(
    execution: Execution, graph: ThoughtGraph, request: ReversiblePrune, scored: list[NodeRow]
) -> PrunedGraph:
    threshold = graph.row.prune_threshold if request.threshold is None else request.threshold
    left = unscored(graph)
    found = plan_pruning(graph, threshold, {node.id for node in left})
    marked: dict[str, Any] = {}
    if request.preview:
        marked["preview"] = True
    elif found.pruned:
        marked["pruning_id"] = str(execution.run.effect("pruning"))
    if scored:
        marked |= remark(execution)
    return PrunedGraph(
        pruned=_ids(found.pruned),
        remaining=len(graph.active) - len(found.pruned),
        threshold=threshold,
        scored=_ids(scored),
        kept_below=_ids(found.kept_below),
        unscored=_ids(left),
        **common_fields(execution, graph, partial=bool(left)),
        **marked,
    )


def _ids(nodes: list[NodeRow]) -> list[str]:
    return [str(node.id) for node in nodes]


async def _prune(
    tx: Transaction, execution: Execution, graph: ThoughtGraph, done: PrunedGraph
) -> None:
    """Record the pruning and deactivate its nodes."""
    pruning, run = execution.run.effect("pruning"), execution.run.id
    await graph_nodes.create_pruning(tx, pruning, graph.row.id, done.threshold, run)
    await graph_nodes.set_pruned(tx, [UUID(each) for each in done.pruned], pruning)


def _notes(graph: ThoughtGraph, done: PrunedGraph) -> list[str]:
    notes = []
    if done.unscored:
        numbers = ", ".join(str(graph.node(each).number) for each in done.unscored)
        notes.append(LEFT.format(numbers=numbers))
    if done.preview:
        notes.append(PREVIEWED.format(threshold=done.threshold))
    return notes


async def put_back(state: ScoringState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Restore the nodes of the newest pruning that has not been undone.

    Raises:
        InvalidArgument: there is no such pruning.
    """
    execution = runtime.context
    async with execution.loom.database.begin(execution.caller) as tx:
        graph = await lock_open_graph(tx, state["place"]["graph"])
        newest = await graph_nodes.newest_pruning(tx, graph.row.id)
        if newest is None:
            raise InvalidArgument(NOTHING, field="restore")
        pruning, threshold = newest
        back = await graph_nodes.put_back(tx, graph.row.id, pruning)
        await graph_nodes.set_pruning_restored(tx, pruning)
        answer = PrunedGraph(
            pruned=[],
            remaining=len(graph.active) + len(back),
            threshold=threshold,
            scored=[],
            kept_below=[],
            unscored=[],
            restored=[str(each) for each in back],
            pruning_id=str(pruning),
            **common_fields(execution, graph),
        )
        return await complete_operation(tx, execution, state, answer, [], graph.row.session_id)
