"""The state of a search, as plain data that can be saved as JSON between steps."""

from typing import Any, Literal, TypedDict

from reasonloom.nodes.reasoning.tree_search.settings import SearchSettings

Status = Literal[
    "new",  # not judged yet
    "open",  # may be continued
    "opened",  # was continued
    "barren",  # was continued without result
    "answer",  # judged and final
    "verified",  # final and verified
    "refuted",  # final and refuted
    "pruned",  # value below the threshold
    "unjudged",  # no judgement received
    "twin",  # duplicate of an earlier thought
]
LIVE = ("open", "answer")
Phase = Literal["generate", "check", "judge"]
Kind = Literal["propose", "sample", "check", "value", "vote"]


class Node(TypedDict):
    """One thought; `id` is its index in creation order, 0 being the problem itself."""

    id: int
    parent: int | None
    depth: int
    text: str
    data: Any
    identity: str
    final: bool
    status: Status
    value: float | None
    twin_of: int | None
    born: int
    opened: int | None
    fault: str | None


class Pending(TypedDict):
    """An order as stored in the state: `count` results about `nodes`, numbered from `sample`."""

    key: str
    kind: Kind
    nodes: list[int]
    count: int
    sample: int
    paid: bool


class Received(TypedDict):
    """The result of an order: usable results or the fault, and its cost."""

    given: list[Any]
    fault: str | None
    tokens: float
    usd: float
    at: float


class Cost(TypedDict):
    """The cost of the orders of one kind."""

    calls: int
    tokens: float
    usd: float


class State(TypedDict):
    """A search between two steps.

    Attributes:
        queued: orders of this phase that the budget has not released.
        pending: released orders of this phase; the first `billed` have been billed.
        arrived: their results, by key.
        elapsed: seconds since the search began, measured over `steps` steps.
        exhausted: the limit that was reached, or None.
        ended: verified, complete or exhausted; None while the search continues.
    """

    problem: str
    settings: dict[str, Any]
    nodes: list[Node]
    round: int
    phase: Phase
    queued: list[Pending]
    pending: list[Pending]
    billed: int
    arrived: dict[str, Received]
    spent: dict[str, Cost]
    elapsed: float
    steps: int
    exhausted: str | None
    ended: str | None


def settings_of(state: State) -> SearchSettings:
    """Return the settings of a search."""
    return SearchSettings(**state["settings"])


def path(state: State, node: int) -> list[Node]:
    """Return the path from the problem to `node`, including the node but not the problem."""
    steps: list[Node] = []
    current = state["nodes"][node]
    while current["parent"] is not None:
        steps.append(current)
        current = state["nodes"][current["parent"]]
    return steps[::-1]


def rank_key(node: Node) -> tuple[bool, float, int]:
    """Return a sort key: best value first, ties in creation order."""
    value = node["value"]
    return value is None, -(value or 0.0), node["id"]
