"""The state of `breakdown`."""

from collections.abc import Sequence
from operator import add
from typing import Annotated, Any, Literal, TypedDict

from reasonloom.contracts.base import Kind
from reasonloom.contracts.thinking.breakdown import Reason, Splitter, Tie
from reasonloom.nodes.reasoning.lookup import MemoryState

ROOT = "problem-1-0"
"""The id of the whole problem; a part's id is its parent's plus its index from 0."""


Basis = Literal["count", "effort"]
"""The unit of a critical path's length: the number of problems or the sum of efforts."""


class Problem(TypedDict, total=False):
    """One problem of the tree; it has neither `split_by` nor `reason` until it is processed.

    `text` is complete; `description` is the shortened form in the answer.
    """

    id: str
    text: str
    description: str
    depth: int
    parent: str | None
    split_by: Splitter
    method: str
    reason: Reason
    why: str
    duplicate_of: str
    effort: float
    sure: float
    known: list[str]
    kind: Kind


class Link(TypedDict, total=False):
    """A dependency: `before` precedes `after`; with its certainty, 0..1, and the reason."""

    before: str
    after: str
    type: Tie
    certainty: float
    why: str


class Split(TypedDict, total=False):
    """The split of one problem: parts and links between their indices, or the reason for none."""

    id: str
    parts: list[dict[str, Any]]
    links: list[dict[str, Any]]
    split_by: Splitter
    method: str
    reason: Reason
    kind: Kind
    why: str
    sure: float


class SplitTask(TypedDict):
    """The input of one split; `line` has the ancestors, `others` the problems of the same depth."""

    memories: list[dict[str, Any]]
    problem: Problem
    line: list[str]
    others: list[str]


class BreakdownState(MemoryState, total=False):
    """The state of `breakdown`; `splits` arrive in any order.

    `unrelated`: no links across branches could be determined.
    """

    problems: list[Problem]
    splits: Annotated[list[Split], add]
    links: list[Link]
    dropped: list[Link]
    unrelated: bool


def place_of(problem_id: str) -> tuple[int, ...]:
    """Return the indices from the root down, a sort key that puts a parent before its parts."""
    return tuple(int(each) for each in problem_id.split("-")[2:])


def outline(problem_id: str) -> str:
    """Return a problem's outline number, such as 2.1; 0 for the root."""
    return ".".join(str(each + 1) for each in place_of(problem_id)[1:]) or "0"


def is_within(problem_id: str, other: str) -> bool:
    """Return whether a problem is `other` or within it."""
    return problem_id == other or problem_id.startswith(f"{other}-")


def is_open(problem: Problem) -> bool:
    """Return whether a problem has not been processed yet."""
    return "split_by" not in problem and "reason" not in problem


def is_work(problem: Problem) -> bool:
    """Return whether a problem is to be worked on: it has no parts and is not a duplicate."""
    return "split_by" not in problem and problem.get("reason") != "duplicate"


def in_order(problems: Sequence[Problem]) -> list[Problem]:
    """Return problems in outline order, parents before their parts."""
    return sorted(problems, key=lambda each: place_of(each["id"]))
