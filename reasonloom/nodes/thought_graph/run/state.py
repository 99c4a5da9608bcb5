"""What running a plan carries from node to node."""

from __future__ import annotations

from operator import add
from typing import Annotated, Any, TypedDict

from reasonloom.nodes.state import ToolState
from reasonloom.nodes.thought_graph.operations.orders import Order


class Came(TypedDict):
    """What came of one order; `result` is as `operations.results.read` takes it."""

    key: str
    result: dict[str, Any]


class GotRunState(ToolState, total=False):
    """`place` holds the ids of the session, of the branch, and of its head (None at first)."""

    place: dict[str, Any]
    memories: list[dict[str, Any]]
    plan: dict[str, Any]
    work: dict[str, Any]
    came: Annotated[list[Came], add]


class Carried(TypedDict):
    """What the task of one order is given."""

    task: str
    order: Order
    memories: list[dict[str, Any]]
