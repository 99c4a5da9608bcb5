"""Breaking a problem down (reference: ThoughtMCP)."""

from typing import Annotated, Any, Literal

from pydantic import Field

from reasonloom.contracts.base import CamelAnswer, CamelRequest, Content, Kind, WholeNumber
from reasonloom.contracts.brief import Brief
from reasonloom.contracts.reasoning.divergent import MOST_CONSTRAINTS, Constraint
from reasonloom.contracts.space import SpacedRequest
from reasonloom.contracts.thinking.think import OpenContext

Reason = Literal["indivisible", "max_depth", "budget", "failed", "duplicate"]
Tie = Literal["needs", "blocks"]
Splitter = Literal["llm", "words", "method"]


class BreakdownContext(OpenContext):
    """What is known, and what its solution must keep to."""

    background: Annotated[Content | None, Field(description="What is known")] = None
    constraints: Annotated[
        list[Constraint] | None,
        Field(max_length=MOST_CONSTRAINTS, description="Must be met"),
    ] = None


class Breakdown(CamelRequest):
    """Break a problem down into a tree of sub-problems, and find what depends on what.

    Tells the order in which to do them, what can be done at the same time, and the longest chain.
    """

    problem: Annotated[Content, Field(description="Problem to decompose")]
    max_depth: Annotated[WholeNumber, Field(ge=1, le=5, description="Levels at most")] = 3
    context: BreakdownContext | None = None


class SpacedBreakdown(SpacedRequest, Breakdown):
    """Break a problem down into a tree of sub-problems, and find what depends on what.

    Tells the order in which to do them, what can be done at the same time, and the longest chain.
    """


class SubProblem(CamelAnswer):
    """One problem of the tree; the first is the whole, at depth 1.

    `split_by` is who divided it: the `llm` or its own `words`. One that is `atomic` was not
    divided: `reason` is why, `why` says it in words, or asks where `kind` marks an open question.
    `effort` is relative.
    """

    brief = Brief(
        main="description",
        text=("id", "duplicate_of", "effort", "kind"),
        gist=("why",),
        drop=("method",),
    )

    id: str
    description: str
    depth: int
    parent: str | None = None
    atomic: bool
    split_by: Splitter | None = None
    method: str | None = None
    reason: Reason | None = None
    why: str | None = None
    duplicate_of: str | None = None
    effort: float | None = None
    known: list[str] | None = None
    kind: Kind | None = None


class Dependency(CamelAnswer):
    """What comes before what: `from` always before `to`.

    `hierarchical`: `to` is a part of `from`. `needs`: `to` needs the whole result of `from`.
    `blocks`: `from` blocks `to` until it is done. `certainty` is in 0..1.
    """

    brief = Brief(main="why", text=("from_", "to", "type"), gist=("why",))

    from_: Annotated[str, Field(alias="from")]
    to: str
    type: Literal["hierarchical", "needs", "blocks"]
    why: str | None = None
    certainty: float | None = None


class BrokenDown(CamelAnswer):
    """A problem, its sub-problems, and their order.

    `execution_order` has every problem after its parent and after all that it depends on.
    `parallel_levels` are those that are really to be done (atomic, no duplicates): those of one
    level can be done at the same time. `critical_path` is the longest chain of them,
    `critical_path_length` its count or the sum of its efforts, as `critical_path_by` says.
    `dropped_dependencies` were named, and cannot hold. `drawing` is for Mermaid.
    """

    brief = Brief(
        text=(
            "sub_problems",
            "dependencies",
            "parallel_levels",
            "critical_path",
            "dropped_dependencies",
            "confidence",
            "partial",
            "suggestion",
            "session_id",
            "thought_id",
        ),
        drop=("drawing",),
    )

    problem: str
    sub_problems: list[SubProblem]
    dependencies: list[Dependency]
    execution_order: list[str]
    total_sub_problems: int
    max_depth: int
    parallel_levels: list[list[str]]
    critical_path: list[str]
    critical_path_length: float
    critical_path_by: Literal["count", "effort"]
    dropped_dependencies: list[Dependency]
    drawing: str
    confidence: float
    llm: str
    run_id: str
    session_id: str
    thought_id: str
    memories_used: list[str]
    partial: bool | None = None
    suggestion: str | None = None
    context: dict[str, Any] | None = None
