"""Find a graph's terminal nodes and draw the conclusion: its content, sources and confidence."""

import re
from collections.abc import Sequence
from itertools import combinations
from statistics import fmean
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.thought_graph.tools import GotFinalize
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.offline import open_question
from reasonloom.nodes.reasoning.attempts import first_sentences
from reasonloom.nodes.runs.llm_call import OptionalReply, Question, ask_or_note
from reasonloom.nodes.sessions.context import session_context
from reasonloom.nodes.similarity import Similarity
from reasonloom.nodes.thought_graph.aggregate import require_distinct
from reasonloom.nodes.thought_graph.graph import ThoughtGraph, read_open_graph
from reasonloom.nodes.thought_graph.merging import (
    describe_conflict,
    find_conflicts,
    shorten_input,
)
from reasonloom.nodes.thought_graph.state import GotToolState, Thought, as_thoughts, place_of
from reasonloom.stores.thought_graph.graph_nodes import NodeRow

MOST_ENDS = 3
"""Maximum number of leaves used as terminal nodes if none are named."""

SENTENCES = 3
"""Sentences per terminal node in the extract that replaces a missing synthesis."""

TOGETHER = "What do these thoughts come to together?"
TINY = 1e-9
"""Tolerance for rounding errors in a mean of similarities."""

FIELD = "terminal_node_ids"
LABEL = re.compile(r"\bN(\d+)\b")
TWICE = "names node {number} twice"
CHOSEN = "it ends in {count} of {leaves} active leaves, those of the highest score"
CLAIMED = (
    "unscored ends are ranked by the confidence that their author claims, by number: {numbers}"
)
FOUND = "the conclusion named no source; those it is most like are named instead"
UNKNOWN = "the conclusion named sources that do not exist: {names}"
EXTRACTED = "there is no synthesis: the terminal nodes' first sentences are used instead"


class FinalizeState(GotToolState, total=False):
    """The state of finalizing: the terminal nodes, the place in the session, the conclusion.

    `worths` are the worths of the terminal nodes when they were loaded, in order. In the
    conclusion, `made` says whether a language model wrote it, and `sources` are labels.
    """

    session: dict[str, Any]
    ends: list[Thought]
    worths: list[float]
    against: list[str]
    conclusion: dict[str, Any]


async def find_ends(state: FinalizeState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Load the terminal nodes (those named, or the best active leaves) and their conflicts."""
    execution = runtime.context
    request = execution.request(GotFinalize)
    graph = await read_open_graph(execution, request.graph_id)
    notes = []
    if request.terminal_node_ids is None:
        leaves = sorted(graph.leaves, key=lambda node: (-node.worth, node.number))
        nodes = leaves[:MOST_ENDS]
        if len(nodes) < len(leaves):
            notes.append(CHOSEN.format(count=len(nodes), leaves=len(leaves)))
    else:
        nodes = require_distinct(graph, request.terminal_node_ids, field=FIELD, twice=TWICE)
    unscored = [str(node.number) for node in nodes if node.score is None]
    if unscored:
        notes.append(CLAIMED.format(numbers=", ".join(unscored)))
    place = place_of(graph, None)
    session, _ = await session_context(execution, place["session"], place["problem"])
    return {
        "place": place,
        "session": session,
        "ends": as_thoughts(nodes),
        "worths": [node.worth for node in nodes],
        "against": _contradictions(graph, nodes),
        "notes": notes,
    }


def _contradictions(graph: ThoughtGraph, nodes: Sequence[NodeRow]) -> list[str]:
    """Return contradictions between the nodes: recorded edges, or else those found by words."""
    ends = {node.id: node for node in nodes}
    known = [
        f"N{ends[edge.from_node].number} and N{ends[edge.to_node].number}"
        + (f": {edge.reason}" if edge.reason else "")
        for edge in graph.edges
        if edge.edge_type == "contradicts" and edge.from_node in ends and edge.to_node in ends
    ]
    if known:
        return known
    found, _ = find_conflicts(as_thoughts(nodes), [])
    return [
        describe_conflict(each).replace("nodes ", "N", 1).replace(" and ", " and N", 1)
        for each in found
    ]


async def conclude(state: FinalizeState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Draw the conclusion from the terminal nodes.

    Closing a graph cannot be undone. So if the language model fails temporarily, the run fails
    without changes; if it fails permanently, an extract is used.

    Raises:
        LlmUnavailable, TimedOut: the language model did not answer.
    """
    execution, ends = runtime.context, state["ends"]
    if execution.loom.llm.offline:
        return _open_conclusion(state)
    heard = await _ask_for_conclusion(execution, state)
    if heard.fault is not None and heard.fault.retryable:
        raise heard.fault
    conclusion, notes = read_conclusion(heard, ends)
    return {"conclusion": conclusion, "notes": [*heard.notes, *notes]}


def _open_conclusion(state: FinalizeState) -> dict[str, Any]:
    ends = state["ends"]
    lines = [f"{label(each)}: {shorten_input(each['content'])}" for each in ends]
    lines.append(open_question(TOGETHER, state["place"]["problem"]))
    named = [*map(label, ends)]
    return {"conclusion": {"content": "\n".join(lines), "sources": named, "made": False}}


async def _ask_for_conclusion(execution: Execution, state: FinalizeState) -> OptionalReply:
    question = Question(
        node="conclude",
        prompt="got/conclude",
        variables={
            "problem": state["place"]["problem"],
            "thoughts": [
                {"label": label(each), "content": each["content"]} for each in state["ends"]
            ],
            "conflicts": state["against"],
        },
        pipe="got_finalize",
        thread=state["place"]["session"],
    )
    return await ask_or_note(execution, question, "the conclusion")


def label(end: Thought) -> str:
    """Return the label by which the conclusion refers to a node: its number in the graph."""
    return f"N{end['number']}"


def read_conclusion(
    heard: OptionalReply, ends: Sequence[Thought]
) -> tuple[dict[str, Any], list[str]]:
    """Read the conclusion and its source labels, limited to `ends`; return them with notes."""
    if heard.parsed is None and not heard.text:
        content = first_sentences(((label(each), each["content"]) for each in ends), SENTENCES)
        return {"content": content, "sources": [*map(label, ends)], "made": False}, [EXTRACTED]
    parsed = heard.parsed or {"conclusion": heard.text, "sources": []}
    known = [label(each) for each in ends]
    inside = (f"N{number}" for number in LABEL.findall(parsed["conclusion"]))
    named = dict.fromkeys([*parsed["sources"], *inside])
    unknown = [each for each in named if each not in known]
    conclusion = {
        "content": parsed["conclusion"],
        "sources": [each for each in known if each in named],
        "made": True,
    }
    return conclusion, [UNKNOWN.format(names=", ".join(unknown[:5]))] if unknown else []


def agreement(ends: Sequence[Thought], likeness: Similarity) -> float | None:
    """Return the mean similarity (0..1) of all pairs of terminal nodes, or None for one node."""
    pairs = combinations((each["content"] for each in ends), 2)
    alike = [likeness.of(first, other) for first, other in pairs]
    return fmean(alike) if alike else None


def most_similar(ends: Sequence[Thought], conclusion: str, likeness: Similarity) -> list[str]:
    """Return the labels of the nodes with at least mean similarity to the conclusion."""
    alike = {label(each): likeness.of(each["content"], conclusion) for each in ends}
    mean = fmean(alike.values())
    return [name for name, value in alike.items() if value >= mean - TINY]
