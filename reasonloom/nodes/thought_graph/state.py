"""The state of graph operations, as plain data that can be saved."""

import re
from collections.abc import Iterable
from typing import Any, TypedDict
from uuid import UUID

from reasonloom.contracts.base import Answer
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.reasoning.lookup import MemoryState
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.thought_graph.graph import ThoughtGraph
from reasonloom.stores.database import Transaction
from reasonloom.stores.thought_graph.graph_nodes import NodeRow

MODE = "got"


class Place(TypedDict):
    """The ids of an operation's graph and session, and the problem it works on."""

    graph: str
    session: str
    problem: str


class Thought(TypedDict):
    """A node as shown in prompts: its id, its number in the graph, its content, its depth."""

    id: str
    number: int
    content: str
    depth: int


class GotToolState(MemoryState, total=False):
    """The state of all graph operations: their place, and the relevant memories."""

    place: Place


MOST_LINE = 12
"""Maximum ancestors of a node shown in a prompt: the root and the latest ones."""


def place_of(graph: ThoughtGraph, problem: str | None) -> Place:
    """Return an operation's place; a problem given with the call overrides the graph's."""
    return Place(
        graph=str(graph.row.id),
        session=str(graph.row.session_id),
        problem=problem or graph.problem,
    )


def as_thought(node: NodeRow) -> Thought:
    """Return a node as shown in prompts."""
    return Thought(id=str(node.id), number=node.number, content=node.content, depth=node.depth)


def as_thoughts(nodes: Iterable[NodeRow]) -> list[Thought]:
    """Return nodes as shown in prompts."""
    return [as_thought(node) for node in nodes]


def ancestors_of(graph: ThoughtGraph, node: NodeRow) -> list[Thought]:
    """Return a node's ancestors, root first; if there are many, the root and the latest ones."""
    line = as_thoughts(graph.line(node))
    return line if len(line) <= MOST_LINE else [line[0], *line[1 - MOST_LINE :]]


CONCLUDES = re.compile(
    r"^\W*(?:therefore|thus|hence|consequently|so\b,|in conclusion|to conclude|it follows that|"
    r"we conclude|also gilt|daher|deshalb|folglich|somit|daraus folgt|schluss)\b",
    re.I,
)
SUPPOSES = re.compile(
    r"\b(?:hypothesis|hypothesi[sz]e|suppose|assume|assuming|perhaps|maybe|possibly|might|could be|"
    r"would explain|hypothese|angenommen|vermutlich|vielleicht|möglicherweise|könnte)\b",
    re.I,
)


def guess_type(text: str) -> str | None:
    """Return `conclusion` or `hypothesis` if the wording suggests it, or else None.

    Recognises English and German cue words; thoughts in other languages remain plain thoughts.
    """
    if CONCLUDES.search(text):
        return "conclusion"
    return "hypothesis" if SUPPOSES.search(text) else None


async def complete_operation(
    tx: Transaction,
    execution: Execution,
    state: MemoryState,
    answer: Answer,
    notes: list[str],
    session_id: UUID,
) -> dict[str, Any]:
    """Complete an operation's run with all its notes; return the last node's state update."""
    all_notes = [*dict.fromkeys([*state.get("notes", []), *notes])]
    memories = state.get("memories", [])
    added = await complete_run(
        tx, execution, answer, notes=all_notes, session_id=session_id, memories=memories
    )
    return {**added, "notes": notes}
