"""The state of tree reasoning, and the functions its graph routes by."""

import re
from operator import add
from typing import Annotated, Any, NotRequired, TypedDict, cast

from reasonloom.nodes.reasoning.attempts import MOST_ATTEMPTS
from reasonloom.nodes.reasoning.lookup import MemoryState
from reasonloom.nodes.reasoning.tree_search.machine import open_orders
from reasonloom.nodes.reasoning.tree_search.orders import Order
from reasonloom.nodes.reasoning.tree_search.state import State

MODE = "tree"
LABELLED = re.compile(r"\b(?:thought|option|answer|candidate)\s+([A-Z])\b", re.I)
"""How a ballot's reason may refer to thoughts by label, contrary to its instructions."""

UNEXPLORED = "none"
"""The check of the open question that replaces the approaches offline."""


class Approach(TypedDict):
    """One approach: its name, and the instruction for exploring it."""

    name: str
    approach: str


class Trial(TypedDict):
    """The search in progress.

    Attributes:
        attempt: counts the proposals of approaches from 1.
        number: counts the searches from 1, so that calls of different searches have distinct names.
        approaches: the approaches explored; the search's order with `sample` i follows the i-th.
        redone: `CurrentRun.started` of the process that restarted the search for lack of results.
        finals: the ballots on the two best branches, once they are due.
    """

    attempt: int
    number: int
    approaches: list[Approach]
    redone: float | None
    finals: NotRequired[list[Order]]


class Result(TypedDict):
    """The result of one search order; `result` has the form that `orders.read_result` reads."""

    trial: int
    key: str
    kind: str
    sample: int
    result: dict[str, Any]


class Outcome(TypedDict):
    """The outcome of one search.

    Attributes:
        branches: name, content, confidence, score, votes, check and merged approaches of each.
        best: index of the recommended branch.
        failed: name and reason of each approach that failed.
        ballots: number of ballots cast; `lost` counts those requested but not received.
        exhausted: the run limit that was reached, or None.
    """

    branches: list[dict[str, Any]]
    best: int
    confidence: float
    reason: str
    failed: list[dict[str, str]]
    ballots: int
    lost: int
    exhausted: str | None


class TreeState(MemoryState, total=False):
    """`place` holds the ids of the session, of the branch, and of its head (None at first)."""

    place: dict[str, Any]
    history: list[dict[str, str]]
    trial: Trial
    search: dict[str, Any]
    results: Annotated[list[Result], add]
    outcomes: list[Outcome]


class TreeTask(TypedDict):
    """The payload of an order's task.

    `reasons` of earlier ballots are for the finals, each with its `labels` as (label, approach)
    pairs.
    """

    order: Order
    trial: int
    approach: Approach | None
    content: str
    history: list[dict[str, str]]
    memories: list[dict[str, Any]]
    reasons: NotRequired[list[dict[str, Any]]]


def tasks(state: TreeState) -> list[TreeTask]:
    """Return a task for each open order of the search and its finals; none at the end."""
    search, trial = state["search"], state["trial"]
    if not search:
        return []
    searched = [_task(state, order) for order in open_orders(cast("State", search))]
    came = {each["key"]: each["result"] for each in results_of(state)}
    finals = [order for order in trial.get("finals", []) if order["key"] not in came]
    final = {order["key"] for order in trial.get("finals", [])}
    reasons = [
        {name: came[key][name] for name in ("reason", "labels")}
        for key in sorted(came)
        if "reason" in came[key] and key not in final
    ]
    return [*searched, *(TreeTask(**_task(state, order), reasons=reasons) for order in finals)]


def _task(state: TreeState, order: Order) -> TreeTask:
    trial, followed = state["trial"], order["kind"] == "sample"
    return TreeTask(
        order=order,
        trial=trial["number"],
        approach=trial["approaches"][order["sample"]] if followed else None,
        content=state["request"]["content"],
        history=state["history"] if followed else [],
        memories=state["memories"],
    )


def results_of(state: TreeState) -> list[Result]:
    """Return the results of the current search."""
    number = state["trial"]["number"]
    return [each for each in state.get("results", []) if each["trial"] == number]


def is_enough(state: TreeState) -> bool:
    """Return whether the last outcome is confident enough or was the last one allowed.

    Also true if a limit of the run was reached, since another attempt cannot be paid for.
    """
    threshold, last = state["request"].get("confidence"), state["outcomes"][-1]
    final = last["exhausted"] or last["branches"][0]["check"] == UNEXPLORED
    if threshold is None or final or state["trial"]["attempt"] >= MOST_ATTEMPTS:
        return True
    return last["confidence"] >= float(threshold)
