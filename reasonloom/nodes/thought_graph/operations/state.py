"""The state of a plan in progress, as plain data that can be saved as JSON at any step."""

from typing import Any, Literal, NotRequired, TypedDict

from reasonloom.contracts.thought_graph.plans import PROBLEM
from reasonloom.nodes.reasoning.tree_search.state import Received

Kind = Literal["generate", "refine", "aggregate", "judge"]
StepStatus = Literal["waiting", "running", "done", "skipped"]
WHOLE = "0"
"""The part name of the whole problem."""

START = PROBLEM
"""The name of the step that outputs the problem itself."""


class Thought(TypedDict):
    """One thought; the first is the problem itself.

    Attributes:
        id: `<step>.<number>`, stable across replays.
        parents: the thoughts it was derived from.
        kind: root, or the kind of operation that created it.
        part: the part of the problem it is about; `0` is the whole, `0.1` the second piece of a
            cut, `0.0+0.1` two merged pieces.
        data: the task's data about it, as JSON.
        score: 0..1, None until scored; `check` is the kind of check that scored it, `scored_by` its
            name.
        valid: the verdict of a check, or None without one.
    """

    id: str
    parents: list[str]
    kind: str
    step: str
    text: str
    data: Any
    part: str
    depth: int
    confidence: float | None
    score: float | None
    scores: dict[str, float]
    check: str
    scored_by: str | None
    valid: bool | None


class Step(TypedDict):
    """One operation in progress.

    Attributes:
        operation: the plan's operation, as data.
        after: the steps whose outputs it takes.
        inputs, outputs: ids of thoughts.
        round: for `repeat`, how often its body was started; `best` is the best score before that.
        fault: why it, or some of its orders, failed.
    """

    id: str
    operation: dict[str, Any]
    after: list[str]
    standing: StepStatus
    inputs: list[str]
    outputs: list[str]
    round: int
    best: float | None
    fault: str | None


class Pending(TypedDict):
    """An order as stored in the state: `count` results about `thoughts`, numbered from `sample`.

    `in_order` is as in `orders.Order`; it is missing in plans started by an older version.
    """

    key: str
    step: str
    kind: Kind
    move: str
    thoughts: list[str]
    count: int
    sample: int
    in_order: NotRequired[bool]


class Bill(TypedDict):
    """The cost of one order."""

    kind: Kind
    tokens: float
    usd: float


class State(TypedDict):
    """A plan between two steps.

    Attributes:
        limits: calls, tokens, usd and seconds; None means no limit.
        cuts: for each part, the lists of pieces it was cut into, one list per cut.
        drawn: number of answers requested so far, by question hash, so that each answer has its own
            sample number.
        queued: orders that the budget has not released; `pending` are released.
        arrived: results of pending orders whose step is not settled, by key: candidates (`text`,
            `data`, `confidence`), or scores by thought for a ballot.
        bills: cost of every order with a result, by key.
        exhausted: the limit that was reached, or None.
        ended: found, complete or exhausted; None while the plan continues.
    """

    problem: str
    limits: dict[str, float | None]
    stop_at: float | None
    thoughts: dict[str, Thought]
    steps: dict[str, Step]
    cuts: dict[str, list[list[str]]]
    drawn: dict[str, int]
    queued: list[Pending]
    pending: list[Pending]
    arrived: dict[str, Received]
    bills: dict[str, Bill]
    elapsed: float
    exhausted: str | None
    ended: str | None
