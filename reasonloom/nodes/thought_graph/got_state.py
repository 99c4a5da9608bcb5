"""What the operations of Graph of Thoughts carry from node to node."""

from __future__ import annotations

from typing import Any, TypedDict

from reasonloom.nodes.state import ToolState

MODE = "got"


class Place(TypedDict):
    """Where an operation works, by id, and the problem that it works on."""

    graph: str
    session: str
    problem: str


class Thought(TypedDict):
    """A node as prompts see it: its id, its number in the graph, what it says, its depth."""

    id: str
    number: int
    content: str
    depth: int


class GotToolState(ToolState, total=False):
    """What all operations on a graph carry: where, and the memories that the problem calls for."""

    place: Place
    memories: list[dict[str, Any]]
