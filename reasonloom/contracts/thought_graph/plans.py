"""A plan of operations on thoughts, as data (Graph of Operations; Besta et al. 2024)."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from reasonloom.contracts.base import Answer, Content, Name, Request, Unit, Whole
from reasonloom.contracts.brief import Brief
from reasonloom.contracts.thought_graph.tools import ByLlm, Check, GraphNode

MAX_OPERATIONS = 50
Count = Annotated[Whole, Field(ge=1, le=100)]
Id = Annotated[Name, Field(pattern="^[A-Za-z][A-Za-z0-9_-]*$")]

PROBLEM = "start"
"""What the problem itself is called in `after`."""


class Condition(Request):
    """A condition on the thoughts that reach an operation; all that is given must hold.

    Attributes:
        best_at_least, best_below: the best score among them.
        parts_at_most, parts_more_than: into how many parts the problem is cut among them.
        count_at_most, count_more_than: how many they are.
        no_gain: the best score is no better than one round before (`repeat` only).
    """

    best_at_least: Unit | None = None
    best_below: Unit | None = None
    parts_at_most: Whole | None = None
    parts_more_than: Whole | None = None
    count_at_most: Whole | None = None
    count_more_than: Whole | None = None
    no_gain: bool | None = None

    @model_validator(mode="after")
    def check_something_given(self) -> Self:
        """Refuse a condition that always holds."""
        if not self.model_fields_set:
            raise PydanticCustomError("condition", "must name at least one condition")
        return self


class Operation(Request):
    """What all operations share.

    Attributes:
        id: by which later operations name it; `<what it does><its number>` where absent. Letters,
            digits, _ and -, a letter first.
        after: the operations whose thoughts it takes, `start` for the problem itself; the one
            before it where absent.
        when: it is passed over, and its thoughts continue unchanged, where this does not hold.
    """

    id: Id | None = None
    after: Annotated[list[Name], Field(min_length=1, max_length=20)] | None = None
    when: Condition | None = None


class Generate(Operation):
    """Continue each thought; `apart` makes each result a part of the problem of its own."""

    do: Literal["generate"]
    move: Name = "generate"
    samples: Count = 1
    apart: bool = False
    only_below: Unit | None = None


class Refine(Operation):
    """Improve each thought; the improved ones compete with it."""

    do: Literal["refine"]
    move: Name = "refine"
    samples: Count = 1
    only_below: Unit | None = None


class Aggregate(Operation):
    """Merge thoughts of different parts, `size` neighbours at a time, or all of them."""

    do: Literal["aggregate"]
    move: Name = "aggregate"
    samples: Count = 1
    size: Annotated[Whole, Field(ge=2, le=20)] | None = None


class Score(Operation):
    """Give each thought a score, 0..1: by blind ballots (`judge`), or by a check of the task."""

    do: Literal["score"]
    by: Name = "judge"


class KeepBest(Operation):
    """Let the best thoughts go on, of each part or of all."""

    do: Literal["keep_best"]
    n: Count = 1
    of: Literal["part", "all"] = "part"


class Validate(Operation):
    """Let those thoughts go on that a check of the task finds valid; all of them if none is."""

    do: Literal["validate"]
    by: Name


class Repeat(Operation):
    """Do `body` again and again until a condition holds, `most` times at most.

    Each operation of the body takes the thoughts of the one before it.
    """

    do: Literal["repeat"]
    body: Annotated[list[AnyOperation], Field(min_length=1, max_length=MAX_OPERATIONS)]
    until: Condition | None = None
    most: Annotated[Whole, Field(ge=1, le=20)] = 5

    @model_validator(mode="after")
    def check_body(self) -> Self:
        """Refuse names within a body, which every round would use again."""
        for place, operation in enumerate(self.body):
            if operation.id is not None or operation.after is not None:
                message = f"body.{place} must have neither id nor after"
                raise PydanticCustomError("body", "{message}", {"message": message})
        return self


AnyOperation = Annotated[
    Generate | Refine | Aggregate | Score | KeepBest | Validate | Repeat,
    Field(discriminator="do"),
]


class Limits(Request):
    """What a plan may cost; what is absent is limited by the run alone."""

    calls: Annotated[Whole, Field(ge=1)] | None = None
    tokens: Annotated[Whole, Field(ge=1)] | None = None
    usd: Annotated[float, Field(gt=0)] | None = None
    seconds: Annotated[float, Field(gt=0)] | None = None


class Plan(Request):
    """Operations in order; each takes the thoughts of the one before it, or of those it names.

    `stop_at` ends the plan as soon as a thought on the whole problem has this score. Only
    operations that stand before may be named in `after`, so that a plan has no cycle; `repeat`
    is the way to go round.
    """

    task: Name = "general"
    operations: Annotated[list[AnyOperation], Field(min_length=1, max_length=MAX_OPERATIONS)]
    stop_at: Unit | None = None
    limits: Limits = Limits()

    @model_validator(mode="after")
    def check_names(self) -> Self:
        """Refuse operations of one name, and `after` that names none that stands before."""
        known = [PROBLEM]
        for place, operation in enumerate(self.operations):
            for before in operation.after or ():
                if before not in known:
                    message = (
                        f"operations.{place}.after names {before}, which does not stand before"
                    )
                    raise PydanticCustomError("after", "{message}", {"message": message})
            name = name_of(operation, place)
            if name in known:
                message = f"operations.{place}.id: there are two operations called {name}"
                raise PydanticCustomError("id", "{message}", {"message": message})
            known.append(name)
        return self


def name_of(operation: Operation, place: int) -> str:
    """Return what an operation of a plan is called."""
    return operation.id or f"{operation.do}{place + 1}"  # type: ignore[attr-defined]


Repeat.model_rebuild()


class GotRun(Request):
    """Run a plan of Graph of Thoughts operations and keep what came as a graph.

    Generate, score, keep the best, refine, aggregate, validate, repeat.
    """

    problem: Content
    plan: Annotated[
        Name | dict[str, Any],
        Field(
            description="Name (explore, deepen, sort, intersect), or a plan as docs/plans.md says"
        ),
    ] = "explore"
    session_id: Annotated[Name | None, Field(description="Session (default new)")] = None


class DoneStep(Answer):
    """One operation of the plan: how many thoughts it took and gave, and what went wrong."""

    id: str
    do: str
    taken: int
    given: int
    standing: str
    fault: str | None = None


class RunGraph(ByLlm):
    """What a plan came to; the best thought is a thought of the session.

    `whole` is false where it is about a part of the problem only; `ended` is found, complete or
    exhausted, and `check` says who stands behind `score`, null where nobody scored it.
    """

    brief = Brief(
        main="content",
        text=(
            "score",
            "check",
            "whole",
            "ended",
            "reason",
            "calls",
            "partial",
            "exhausted",
            "suggestion",
            "kind",
            "graph_id",
            "thought_id",
            "session_id",
        ),
        few={"memories_used": 5},
        drop=("steps",),
    )

    graph_id: str
    session_id: str
    thought_id: str
    branch_id: str
    content: str
    score: float | None
    check: Check
    whole: bool
    ended: str
    reason: str
    node_count: int
    best: GraphNode
    steps: list[DoneStep]
    calls: int
    tokens: int
    usd: float
    memories_used: list[str]
    exhausted: str | None = None
