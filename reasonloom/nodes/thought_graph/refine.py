"""Criticise and rewrite a node; blind ballots on both versions decide which stays active."""

from functools import partial
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.thought_graph.tools import GotRefine, RefinedNode
from reasonloom.llm.interfaces import Reply
from reasonloom.llm.off_schema import DEFAULT_CONFIDENCE
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.offline import open_question
from reasonloom.nodes.reasoning.attempts import caveats, reply_notes
from reasonloom.nodes.reasoning.context import recall_for
from reasonloom.nodes.reasoning.lookup import ask_informed
from reasonloom.nodes.reasoning.tree_search.deduplication import normalised
from reasonloom.nodes.runs.llm_call import Question, ask
from reasonloom.nodes.thought_graph.ballot_scoring import (
    Candidate,
    ScoringState,
    as_candidate,
    contest,
    lost_ballots_note,
    score_candidates,
    without_novelty,
)
from reasonloom.nodes.thought_graph.graph import (
    ThoughtGraph,
    lock_open_graph,
    read_graph,
    read_open_graph,
)
from reasonloom.nodes.thought_graph.rendering import common_fields, render_edge, render_node
from reasonloom.nodes.thought_graph.state import (
    Thought,
    ancestors_of,
    as_thought,
    complete_operation,
    place_of,
)
from reasonloom.stores.database import Transaction
from reasonloom.stores.thought_graph import graph_edges, graph_nodes
from reasonloom.stores.thought_graph.graph_edges import NewEdge
from reasonloom.stores.thought_graph.graph_nodes import NewNode, NodeRow, Scored

BETTER = "What is wrong with it, and what would be better?"
UNREFINED = "nothing was refined or judged"
SAME_WORDS = "the refinement says the same: there is nothing to choose between"
PREFERRED = "{votes} of {cast} blind ballots prefer {which}"
COUNTED = "not judged; by computed scores, {which} is kept"
WHICH = {True: "the refinement", False: "what was there"}


class RefineState(ScoringState, total=False):
    """The state of refining: the node, its ancestors, and the refinement."""

    node: Thought
    line: list[Thought]
    refined: dict[str, Any]


async def find_parent(state: RefineState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Load the node and the relevant memories."""
    execution = runtime.context
    request = execution.request(GotRefine)
    graph = await read_open_graph(execution, request.graph_id)
    node = _parent(execution, graph, request.node_id)
    place = place_of(graph, request.problem)
    memories, notes = await recall_for(execution, place["problem"])
    return {
        "place": place,
        "memories": memories,
        "node": as_thought(node),
        "line": ancestors_of(graph, node),
        "candidates": [as_candidate(graph, node)],
        "notes": notes,
    }


def _parent(execution: Execution, graph: ThoughtGraph, node_id: str) -> NodeRow:
    """Return the node to refine; in a fork, a beaten node may compete again.

    Raises:
        InvalidArgument: the node is inactive.
        NodeNotFound: the graph has no such node.
    """
    node = graph.node(node_id)
    beaten = node.replaced_by is not None and node.pruning_id is None
    return node if execution.run.fork and beaten else graph.active_node(node_id)


async def write_anew(state: RefineState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Generate a critique and a better thought."""
    execution, place = runtime.context, state["place"]
    if execution.loom.llm.offline:
        node = state["node"]
        critique = [open_question(BETTER, node["content"])]
        return {"refined": {**node, "confidence": 0.0, "critique": critique}}
    question = Question(
        node="write_anew",
        prompt="got/refine",
        variables={
            "problem": place["problem"],
            "node": state["node"]["content"],
            "line": state["line"],
            "memories": state["memories"],
        },
        pipe="got_refine",
        thread=place["session"],
    )
    informed = await ask_informed(execution, question, partial(ask, execution))
    reply = informed.reply
    refined, parent = _read(reply), state["candidates"][0]
    new = Candidate(
        id=str(execution.run.effect("node")),
        content=refined["content"],
        rests_on=parent["rests_on"],
    )
    notes = [*reply_notes(reply), *informed.notes]
    return {"refined": refined, "candidates": [parent, new], "notes": notes, **informed.added}


def _read(reply: Reply) -> dict[str, Any]:
    if reply.parsed is None:
        return {"content": reply.text, "confidence": DEFAULT_CONFIDENCE, "critique": []}
    parsed = reply.parsed
    return {
        "content": parsed["thought"],
        "confidence": float(parsed["confidence"]),
        "critique": parsed["critique"],
    }


def is_changed(state: RefineState) -> bool:
    """Return whether the refinement differs from its parent."""
    return normalised(state["refined"]["content"]) != normalised(state["node"]["content"])


async def persist_better(state: RefineState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store the refinement and both scores; whichever loses becomes inactive."""
    execution, place = runtime.context, state["place"]
    changed = is_changed(state)
    seen = await read_open_graph(execution, place["graph"])
    scores, notes = await score_candidates(execution, state, seen) if changed else ({}, [])
    same = UNREFINED if execution.loom.llm.offline else SAME_WORDS
    verdict = _verdict(state, scores) if changed else (False, same)
    async with execution.loom.database.begin(execution.caller) as tx:
        graph = await lock_open_graph(tx, place["graph"])
        parent = _parent(execution, graph, state["node"]["id"])
        if changed:
            both = [scores[each["id"]] for each in state["candidates"]]
            await _add(tx, execution, state, parent, both, accepted=verdict[0])
        answer = _answer(execution, state, await read_graph(tx, place["graph"]), verdict)
        notes = [*notes, *lost_ballots_note(execution, state)] if changed else notes
        return await complete_operation(tx, execution, state, answer, notes, graph.row.session_id)


def _verdict(state: RefineState, scores: dict[str, Scored]) -> tuple[bool, str]:
    """Return whether the refinement is preferred, and why.

    Decided by the ballots that judged both, see `contest`, or else by the computed parts. A draw
    keeps the parent.
    """
    old, new = (each["id"] for each in state["candidates"])
    found = contest(state, new, [old])
    if found is None:
        better = without_novelty(scores[new]) > without_novelty(scores[old])
        return better, COUNTED.format(which=WHICH[better])
    which = WHICH[found.better]
    return found.better, PREFERRED.format(votes=found.votes, cast=found.cast, which=which)


async def _add(
    tx: Transaction,
    execution: Execution,
    state: RefineState,
    parent: NodeRow,
    both: list[Scored],
    *,
    accepted: bool,
) -> None:
    """Add the refinement; `both` are the scores of its parent and itself.

    Its id is derived from this run, even if a fork reuses candidates of its origin.
    """
    run, refined = execution.run, state["refined"]
    node = NewNode(
        id=run.effect("node"),
        graph_id=parent.graph_id,
        node_type="refinement",
        content=refined["content"],
        depth=parent.depth,
        confidence=refined["confidence"],
        run_id=run.id,
        llm=execution.loom.llm.name,
        metadata={"critique": refined["critique"]},
    )
    edge = NewEdge(
        id=run.effect("edge"),
        graph_id=parent.graph_id,
        from_node=parent.id,
        to_node=node.id,
        edge_type="refines",
        weight=both[1].score,
        run_id=run.id,
    )
    await graph_nodes.add(tx, [node])
    await graph_edges.add(tx, [edge])
    await graph_nodes.set_scores(tx, dict(zip((parent.id, node.id), both, strict=True)))
    if not accepted:
        await graph_nodes.set_replaced(tx, node.id, parent.id)
    elif parent.is_active and parent.node_type != "root":
        await graph_nodes.set_replaced(tx, parent.id, node.id)


def _answer(
    execution: Execution, state: RefineState, graph: ThoughtGraph, verdict: tuple[bool, str]
) -> RefinedNode:
    run, (accepted, reason) = execution.run, verdict
    changed = is_changed(state)
    wanted = str(run.effect("node")) if changed else state["node"]["id"]
    node = graph.node(wanted)
    missing = changed and bool(lost_ballots_note(execution, state))
    return RefinedNode(
        node_id=wanted,
        node=render_node(node),
        edges=[render_edge(edge) for edge in graph.edges if edge.run_id == run.id],
        preferred=wanted if accepted else state["node"]["id"],
        accepted=accepted,
        critique=state["refined"]["critique"],
        reason=reason,
        check=node.check,
        **common_fields(execution, graph, partial=missing),
        **caveats(execution),
    )
