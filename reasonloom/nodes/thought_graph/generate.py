"""Continue a node of a graph in several distinct directions, and measure their diversity."""

from functools import partial
from itertools import combinations
from statistics import fmean
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.thought_graph.tools import GeneratedNodes, GotGenerate
from reasonloom.errors import InvalidArgument
from reasonloom.llm.interfaces import Reply
from reasonloom.llm.off_schema import DEFAULT_CONFIDENCE
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.offline import confidence_of, open_question, quotes_on, remark
from reasonloom.nodes.reasoning.attempts import reply_notes
from reasonloom.nodes.reasoning.context import recall_for
from reasonloom.nodes.reasoning.lookup import ask_informed, memories_used_in
from reasonloom.nodes.reasoning.tree_search.deduplication import ThoughtDistance, normalised
from reasonloom.nodes.runs.llm_call import Question, ask
from reasonloom.nodes.similarity import similarity_of
from reasonloom.nodes.thought_graph.graph import (
    ThoughtGraph,
    lock_open_graph,
    read_graph,
    read_open_graph,
)
from reasonloom.nodes.thought_graph.rendering import common_fields, render_edge, render_node
from reasonloom.nodes.thought_graph.state import (
    GotToolState,
    Thought,
    ancestors_of,
    as_thought,
    as_thoughts,
    complete_operation,
    place_of,
)
from reasonloom.stores.thought_graph import graph_edges, graph_nodes
from reasonloom.stores.thought_graph.graph_edges import NewEdge
from reasonloom.stores.thought_graph.graph_nodes import NewNode, NodeRow

CONTINUES = "What continues this thought?"
MOST_QUOTED = 20
MOST_REQUESTED = 2
"""Maximum calls of the language model; the second only if the first gives too few results."""

SAME = 0.1
"""Distance (see `ThoughtDistance`) at or below which two continuations are the same."""

TOO_DEEP = "node {number} is at depth {depth}, the graph's max_depth: nothing can come below it"
FULL = (
    "k must be at most {left}: node {number} has {used} of the graph's max_branches {most} children"
)
NONE_FREE = (
    "node {number} has as many children as the graph's max_branches allows: nothing was added; "
    "prune some, or continue another node"
)
NOTHING_NEW = (
    "there are no nodes: without a language model a continuation is a quote of what is known, and "
    "nothing that is known says more of the problem than the graph does; open: {question}"
)
FEWER = "{count} of {wanted} continuations differ from each other and from what was there"
NO_ROOM = "{count} continuations found no room: another call has added to the node meanwhile"


class GenerateState(GotToolState, total=False):
    """The state of generating: the node with its surroundings, and the continuations so far.

    `wanted` is `k` or, if that is not given, its default limited to the room left.
    """

    node: Thought
    line: list[Thought]
    siblings: list[Thought]
    wanted: int
    found: list[dict[str, Any]]
    asked: int


async def find_node(state: GenerateState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Load the node, check that it may be continued, and recall relevant memories."""
    execution = runtime.context
    request = execution.request(GotGenerate)
    graph = await read_open_graph(execution, request.graph_id)
    node = graph.active_node(request.node_id)
    wanted = _wanted(graph, node, request)
    place = place_of(graph, request.problem)
    memories, notes = await recall_for(execution, place["problem"])
    siblings = [graph.by_id[child] for child in graph.children[node.id]]
    return {
        "place": place,
        "memories": memories,
        "node": as_thought(node),
        "line": ancestors_of(graph, node),
        "siblings": as_thoughts(siblings),
        "wanted": wanted,
        "found": [],
        "asked": 0,
        "notes": notes if wanted else [*notes, NONE_FREE.format(number=node.number)],
    }


def _wanted(graph: ThoughtGraph, node: NodeRow, request: GotGenerate) -> int:
    """Return the number of wanted continuations; 0 if `k` is not given and there is no room.

    Raises:
        InvalidArgument: the graph's limits leave no room; `field` names the argument to change.
    """
    if node.depth >= graph.row.max_depth:
        message = TOO_DEEP.format(number=node.number, depth=node.depth)
        raise InvalidArgument(message, field="node_id")
    used, most = graph.branches_of(node), graph.row.max_branches
    if "k" not in request.model_fields_set:
        return max(0, min(request.k, most - used))
    if used + request.k > most:
        message = FULL.format(left=most - used, number=node.number, used=used, most=most)
        raise InvalidArgument(message, field="k")
    return request.k


def _wanted_of(state: GenerateState, execution: Execution) -> int:
    """Return the wanted number, also for runs started by an earlier version."""
    return state.get("wanted", execution.request(GotGenerate).k)


async def propose(state: GenerateState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Generate continuations, excluding those that repeat existing thoughts."""
    execution, place = runtime.context, state["place"]
    wanted = _wanted_of(state, execution) - len(state["found"])
    if execution.loom.llm.offline:
        return {"found": await _quoted(execution, state, wanted), "asked": MOST_REQUESTED}
    if wanted <= 0:
        return {"asked": state["asked"] + 1}
    question = Question(
        node="propose",
        prompt="got/generate",
        variables={
            "problem": place["problem"],
            "node": state["node"]["content"],
            "line": state["line"],
            "siblings": [*state["siblings"], *state["found"]],
            "memories": state["memories"],
            "count": wanted,
        },
        pipe="got_generate",
        n=state["asked"],
        thread=place["session"],
    )
    informed = await ask_informed(execution, question, partial(ask, execution))
    reply = informed.reply
    there = [state["node"]["content"], *(each["content"] for each in state["siblings"])]
    found, notes = await _distinct(execution, there, [*state["found"], *_read(reply)])
    limit = len(state["found"]) + wanted
    return {
        "found": found[:limit],
        "asked": state["asked"] + 1,
        "notes": [*reply_notes(reply), *informed.notes, *notes],
        **informed.added,
    }


async def _quoted(execution: Execution, state: GenerateState, wanted: int) -> list[dict[str, Any]]:
    """Return quotes from the memories as continuations that the node does not have yet."""
    quotes = quotes_on(state["place"]["problem"], state["memories"], most=MOST_QUOTED)
    found = [{"content": each, "confidence": confidence_of(quotes)} for each in quotes]
    there = [state["node"]["content"], *(each["content"] for each in state["siblings"])]
    fresh, _ = await _distinct(execution, there, found)
    return fresh[:wanted]


def _read(reply: Reply) -> list[dict[str, Any]]:
    """Return the continuations of a reply; text that is not JSON counts as one thought."""
    if reply.parsed is None:
        return [{"content": reply.text, "confidence": DEFAULT_CONFIDENCE}]
    return [
        {"content": each["thought"], "confidence": each["confidence"]}
        for each in reply.parsed["continuations"]
    ]


async def _distinct(
    execution: Execution, there: list[str], found: list[dict[str, Any]]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return those of `found` that differ from existing thoughts and from each other, and notes."""
    texts = [*there, *(each["content"] for each in found)]
    likeness = await similarity_of(execution.loom.embedder, texts)
    distance = ThoughtDistance(likeness)
    kept: list[dict[str, Any]] = []
    for each in found:
        others = [*there, *(other["content"] for other in kept)]
        if not any(_is_same(each["content"], other, distance) for other in others):
            kept.append(each)
    return kept, likeness.notes


def _is_same(first: str, second: str, distance: ThoughtDistance) -> bool:
    return normalised(first) == normalised(second) or distance(first, second) <= SAME


def is_complete(state: GenerateState, runtime: Runtime[Execution]) -> bool:
    """Return whether there are enough continuations, or no further call is allowed."""
    wanted = _wanted_of(state, runtime.context)
    return len(state["found"]) >= wanted or state["asked"] >= MOST_REQUESTED


async def persist_nodes(state: GenerateState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Add the continuations to the graph as far as there is room, and answer."""
    execution = runtime.context
    wanted = _wanted_of(state, execution)
    diversity = await _diversity(execution, [each["content"] for each in state["found"]])
    async with execution.loom.database.begin(execution.caller) as tx:
        graph = await lock_open_graph(tx, state["place"]["graph"])
        parent = graph.active_node(state["node"]["id"])
        room = max(0, graph.row.max_branches - graph.branches_of(parent))
        nodes = [_node(execution, parent, n, each) for n, each in enumerate(state["found"][:room])]
        await graph_nodes.add(tx, nodes)
        await graph_edges.add(tx, [_edge(execution, parent, node) for node in nodes])
        notes = _notes(wanted, len(state["found"]), len(nodes))
        if wanted and not nodes and execution.loom.llm.offline:
            question = open_question(CONTINUES, parent.content)
            notes.append(NOTHING_NEW.format(question=question))
        grown = await read_graph(tx, state["place"]["graph"])
        answer = _answer(execution, state, grown, diversity, short=len(nodes) < wanted)
        return await complete_operation(tx, execution, state, answer, notes, graph.row.session_id)


async def _diversity(execution: Execution, texts: list[str]) -> float | None:
    """Return the mean distance (1 - similarity) of all pairs of texts; None for fewer than two."""
    likeness = await similarity_of(execution.loom.embedder, texts)
    distances = [1 - likeness.of(first, other) for first, other in combinations(texts, 2)]
    return round(fmean(distances), 4) if distances else None


def _node(
    execution: Execution, parent: NodeRow, place: int, continuation: dict[str, Any]
) -> NewNode:
    return NewNode(
        id=execution.run.effect("node", str(place)),
        graph_id=parent.graph_id,
        node_type="thought",
        content=continuation["content"],
        depth=parent.depth + 1,
        confidence=float(continuation["confidence"]),
        run_id=execution.run.id,
        llm=execution.loom.llm.name,
    )


def _edge(execution: Execution, parent: NodeRow, node: NewNode) -> NewEdge:
    return NewEdge(
        id=execution.run.effect("edge", str(node.id)),
        graph_id=parent.graph_id,
        from_node=parent.id,
        to_node=node.id,
        edge_type="generates",
        weight=node.confidence,
        run_id=execution.run.id,
    )


def _notes(wanted: int, found: int, kept: int) -> list[str]:
    notes = [FEWER.format(count=found, wanted=wanted)] if found < wanted else []
    return [*notes, NO_ROOM.format(count=found - kept)] if kept < found else notes


def _answer(
    execution: Execution,
    state: GenerateState,
    graph: ThoughtGraph,
    diversity: float | None,
    *,
    short: bool,
) -> GeneratedNodes:
    run = execution.run.id
    return GeneratedNodes(
        nodes=[render_node(node) for node in graph.nodes if node.run_id == run],
        edges=[render_edge(edge) for edge in graph.edges if edge.run_id == run],
        diversity=diversity,
        memories_used=[
            f"mem-{each}"
            for each in memories_used_in(
                execution, "\n".join(one["content"] for one in state["found"]), state
            )
        ],
        **common_fields(execution, graph, partial=short),
        **remark(execution),
    )
