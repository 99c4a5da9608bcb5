"""Score one node of a graph, and record which nodes it supports or contradicts."""

from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.thought_graph.tools import GotScore, ScoredNode
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.offline import remark
from reasonloom.nodes.reasoning.context import recall_for
from reasonloom.nodes.similarity import similarity_of
from reasonloom.nodes.thought_graph import ballot_scoring
from reasonloom.nodes.thought_graph.ballot_scoring import (
    LOCAL,
    WEIGHTS,
    ScoringState,
    agreement,
    as_candidate,
    ballot_scores,
    lost_ballots_note,
    score_candidates,
)
from reasonloom.nodes.thought_graph.graph import (
    ThoughtGraph,
    lock_open_graph,
    read_graph,
    read_open_graph,
)
from reasonloom.nodes.thought_graph.rendering import common_fields, render_edge, render_node
from reasonloom.nodes.thought_graph.state import complete_operation, guess_type, place_of
from reasonloom.stores.thought_graph import graph_edges, graph_nodes
from reasonloom.stores.thought_graph.graph_nodes import NodeRow, Scored


async def find_scored(state: ScoringState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Load the node, other nodes it may relate to, and the relevant memories."""
    execution = runtime.context
    request = execution.request(GotScore)
    graph = await read_open_graph(execution, request.graph_id)
    node = graph.active_node(request.node_id)
    place = place_of(graph, request.problem)
    memories, notes = await recall_for(execution, place["problem"])
    others = await _nearest(execution, graph, node)
    return {
        "place": place,
        "memories": memories,
        "candidates": [as_candidate(graph, node)],
        "others": [{"id": str(each.id), "content": each.content} for each in others],
        "notes": notes,
    }


async def _nearest(execution: Execution, graph: ThoughtGraph, node: NodeRow) -> list[NodeRow]:
    """Return the active nodes most similar to a node, most similar first, without its ancestors."""
    line = {each.id for each in graph.line(node)}
    others = [each for each in graph.active if each.id != node.id and each.id not in line]
    likeness = await similarity_of(
        execution.loom.embedder, [node.content, *(each.content for each in others)]
    )
    alike = sorted(others, key=lambda each: -likeness.cosine(node.content, each.content))
    return alike[: ballot_scoring.MOST_OTHERS]


async def persist_score(state: ScoringState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store the score and the relations, and answer."""
    execution = runtime.context
    place, wanted = state["place"], state["candidates"][0]["id"]
    seen = await read_open_graph(execution, place["graph"])
    scores, notes = await score_candidates(execution, state, seen)
    was = seen.node(wanted)
    guessed = guess_type(was.content) if was.node_type == "thought" else None
    scored = replace(scores[wanted], node_type=guessed)
    async with execution.loom.database.begin(execution.caller) as tx:
        graph = await lock_open_graph(tx, place["graph"])
        node = graph.active_node(wanted)
        await graph_nodes.set_scores(tx, {node.id: scored})
        await graph_edges.add(
            tx, ballot_scoring.relation_edges(execution, graph.row.id, _relations(state, graph))
        )
        answer = _answer(execution, state, await read_graph(tx, place["graph"]), scored)
        notes = [*notes, *lost_ballots_note(execution, state)]
        return await complete_operation(tx, execution, state, answer, notes, graph.row.session_id)


def _relations(
    state: ScoringState, graph: ThoughtGraph
) -> dict[tuple[str, str, str], tuple[float, str]]:
    """Return the node's relations to nodes that are still active."""
    node = graph.node(state["candidates"][0]["id"])
    others = [graph.node(each["id"]) for each in state["others"]]
    active = [each for each in others if each.is_active]
    there = {str(each.id) for each in active}
    found = {
        **ballot_scoring.relations_by_words(node, active),
        **ballot_scoring.relations_by_ballots(state.get("cast", [])),
    }
    return {relation: share for relation, share in found.items() if relation[2] in there}


def _answer(
    execution: Execution, state: ScoringState, graph: ThoughtGraph, scored: Scored
) -> ScoredNode:
    run, wanted = execution.run.id, state["candidates"][0]["id"]
    cast = ballot_scores(state, wanted)
    missing = bool(lost_ballots_note(execution, state))
    return ScoredNode(
        node_id=wanted,
        score=round(scored.score, 4),
        **{part: round(value, 4) for part, value in scored.parts.items()},
        weights=WEIGHTS,
        check=scored.check,
        ballots=len(cast),
        agreement=agreement(cast),
        edges=[render_edge(edge) for edge in graph.edges if edge.run_id == run],
        node=render_node(graph.node(wanted)),
        **common_fields(execution, graph, partial=missing),
        **(remark(execution) if scored.check == LOCAL else {}),
    )
