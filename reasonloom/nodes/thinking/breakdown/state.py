"""What breaking a problem down carries from step to step."""

from __future__ import annotations

from collections.abc import Sequence
from operator import add
from typing import Annotated, Any, Literal, TypedDict

from reasonloom.contracts.thinking.breakdown import Reason, Splitter, Tie
from reasonloom.nodes.state import ToolState

ROOT = "problem-1-0"
"""The id of the whole problem; a part's id is its parent's and its own place from 0."""


Basis = Literal["count", "effort"]
"""What a critical path's length is: a count of problems, or the sum of their efforts."""


class Problem(TypedDict, total=False):
    """One problem of the tree; neither `split_by` nor `reason` while nobody has looked at it.

    `text` is all of it, `description` what the answer shows.
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


class Link(TypedDict, total=False):
    """`before` comes before `after`; how sure that is (0..1), and why."""

    before: str
    after: str
    type: Tie
    certainty: float
    why: str


class Split(TypedDict, total=False):
    """What came of one problem: its parts and the links between them by place, or a reason."""

    id: str
    parts: list[dict[str, Any]]
    links: list[dict[str, Any]]
    split_by: Splitter
    method: str
    reason: Reason
    why: str
    sure: float


class SplitTask(TypedDict):
    """What one task is given: the request, what is known, and the problem with all around it."""

    request: dict[str, Any]
    memories: list[dict[str, Any]]
    problem: Problem
    line: list[str]
    others: list[str]


class BreakdownState(ToolState, total=False):
    """What breaking down carries; `splits` come from tasks at once, in any order.

    `unrelated` tells that the links across branches were asked for and did not come.
    """

    memories: list[dict[str, Any]]
    problems: list[Problem]
    splits: Annotated[list[Split], add]
    links: list[Link]
    dropped: list[Link]
    unrelated: bool


def place_of(problem_id: str) -> tuple[int, ...]:
    """Return the places of a problem and those above it: sorts a parent before its parts."""
    return tuple(int(each) for each in problem_id.split("-")[2:])


def outline(problem_id: str) -> str:
    """Return the number of a problem as outlines have it, such as 2.1; 0 for the whole."""
    return ".".join(str(each + 1) for each in place_of(problem_id)[1:]) or "0"


def is_within(problem_id: str, other: str) -> bool:
    """Tell whether a problem is another one or a part of it, at any depth."""
    return problem_id == other or problem_id.startswith(f"{other}-")


def is_open(problem: Problem) -> bool:
    """Tell whether nobody has looked at a problem yet."""
    return "split_by" not in problem and "reason" not in problem


def is_work(problem: Problem) -> bool:
    """Tell whether a problem is itself to be done: it has no parts, and is done nowhere else."""
    return "split_by" not in problem and problem.get("reason") != "duplicate"


def in_order(problems: Sequence[Problem]) -> list[Problem]:
    """Return problems as an outline lists them, each parent before its parts."""
    return sorted(problems, key=lambda each: place_of(each["id"]))
