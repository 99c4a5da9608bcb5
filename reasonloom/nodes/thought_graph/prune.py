"""Takes low nodes out of a graph, tells which would go, or puts the newest ones back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.thought_graph.tools import PrunedGraph, ReversiblePrune
from reasonloom.errors import InvalidArgument
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.reasoning.attempts import recall_for
from reasonloom.nodes.runs.complete_run import finish
from reasonloom.nodes.thought_graph.graph import WholeGraph, hold_open, read, read_open
from reasonloom.nodes.thought_graph.pruning import cut
from reasonloom.nodes.thought_graph.rendering import unscored
from reasonloom.nodes.thought_graph.scoring import ScoringState, candidate, said_of, weigh
from reasonloom.nodes.thought_graph.state import placed
from reasonloom.stores.thought_graph import got_prunings, graph_nodes

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.thought_graph.graph_nodes import NodeRow, Scored

NOTHING = "nothing to put back: the graph has no pruning that was not undone"
OFFLINE = (
    "No language model is configured: the scores were computed of words, and nobody judged whether "
    "a thought is true. Set REASONLOOM_LLM; `reasonloom doctor` shows how."
)
LEFT = "some could not be scored and stay, by number: {numbers}"
PREVIEWED = (
    "nothing was pruned; the scores that were made for it are kept, so that pruning at "
    "{threshold:g} takes out exactly these"
)


class PruneState(ScoringState, total=False):
    """What pruning carries: what scoring does; the candidates are the nodes nobody has scored."""


async def find_unscored(state: PruneState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Find the nodes that must be scored first."""
    execution = runtime.context
    request = ReversiblePrune.model_validate(state["request"])
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        graph = await read_open(tx, request.graph_id)
    place = placed(graph, None)
    nodes = [] if request.restore else unscored(graph)
    memories, notes = await recall_for(execution, place["problem"]) if nodes else ([], [])
    return {
        "place": place,
        "memories": memories,
        "candidates": [candidate(graph, node) for node in nodes],
        "others": [],
        "notes": notes,
    }


async def take_out(state: PruneState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Keep the scores, take out what they condemn unless that is only to be told, and answer."""
    execution = runtime.context
    request = ReversiblePrune.model_validate(state["request"])
    scores, notes = await _scores(execution, state)
    async with execution.loom.database.begin(execution.caller) as tx:
        graph = await hold_open(tx, state["place"]["graph"])
        scored = [node for node in unscored(graph) if str(node.id) in scores]
        await graph_nodes.set_scores(tx, {node.id: scores[str(node.id)] for node in scored})
        graph = await read(tx, state["place"]["graph"])
        done = _done(execution, graph, request, scored)
        if done.pruned and not request.preview:
            await _prune(tx, execution, graph, done)
        notes = [*notes, *_notes(graph, done)]
        all_notes = [*dict.fromkeys([*state.get("notes", []), *notes])]
        added = await finish(
            tx, execution, done, notes=all_notes, session_id=UUID(state["place"]["session"])
        )
    return {**added, "notes": notes}


async def _scores(execution: Execution, state: PruneState) -> tuple[dict[str, Scored], list[str]]:
    """Return the scores of those candidates that a ballot came for; offline of all."""
    judged = [
        each
        for each in state["candidates"]
        if execution.loom.llm.offline or said_of(state, each["id"])
    ]
    if not judged:
        return {}, []
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        graph = await read_open(tx, state["place"]["graph"])
    return await weigh(execution, {**state, "candidates": judged}, graph)


def _done(
    execution: Execution, graph: WholeGraph, request: ReversiblePrune, scored: list[NodeRow]
) -> PrunedGraph:
    threshold = graph.row.prune_threshold if request.threshold is None else request.threshold
    left = unscored(graph)
    found = cut(graph, threshold, {node.id for node in left})
    marked: dict[str, Any] = {}
    if request.preview:
        marked["preview"] = True
    elif found.pruned:
        marked["pruning_id"] = str(execution.run.effect("pruning"))
    if left:
        marked["partial"] = True
    if scored and execution.loom.llm.offline:
        marked["suggestion"] = OFFLINE
    return PrunedGraph(
        graph_id=str(graph.row.id),
        pruned=_ids(found.pruned),
        remaining=len(graph.active) - len(found.pruned),
        threshold=threshold,
        scored=_ids(scored),
        kept_below=_ids(found.kept_below),
        unscored=_ids(left),
        llm=execution.loom.llm.name,
        run_id=str(execution.run.id),
        **marked,
    )


def _ids(nodes: list[NodeRow]) -> list[str]:
    return [str(node.id) for node in nodes]


async def _prune(
    tx: Transaction, execution: Execution, graph: WholeGraph, done: PrunedGraph
) -> None:
    """Note the pruning, and take out its nodes."""
    pruning, run = execution.run.effect("pruning"), execution.run.id
    await got_prunings.create(tx, pruning, graph.row.id, done.threshold, run)
    await graph_nodes.set_pruned(tx, [UUID(each) for each in done.pruned], pruning)


def _notes(graph: WholeGraph, done: PrunedGraph) -> list[str]:
    notes = []
    if done.unscored:
        numbers = ", ".join(str(graph.node(each).number) for each in done.unscored)
        notes.append(LEFT.format(numbers=numbers))
    if done.preview:
        notes.append(PREVIEWED.format(threshold=done.threshold))
    return notes


async def put_back(state: PruneState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Put back what the newest pruning took out that was not undone.

    Raises:
        InvalidArgument: there is none.
    """
    execution = runtime.context
    async with execution.loom.database.begin(execution.caller) as tx:
        graph = await hold_open(tx, state["place"]["graph"])
        newest = await got_prunings.newest(tx, graph.row.id)
        if newest is None:
            raise InvalidArgument(NOTHING, field="restore")
        back = await graph_nodes.put_back(tx, graph.row.id, newest.id)
        await got_prunings.set_restored(tx, newest.id)
        answer = PrunedGraph(
            graph_id=str(graph.row.id),
            pruned=[],
            remaining=len(graph.active) + len(back),
            threshold=newest.threshold,
            scored=[],
            kept_below=[],
            unscored=[],
            restored=[str(each) for each in back],
            pruning_id=str(newest.id),
            llm=execution.loom.llm.name,
            run_id=str(execution.run.id),
        )
        notes = state.get("notes", [])
        return await finish(
            tx, execution, answer, notes=notes, session_id=UUID(state["place"]["session"])
        )
