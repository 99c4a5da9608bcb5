"""Divergent reasoning (reference: mcp-langbase-reasoning)."""

from typing import Annotated

from pydantic import Field, StringConstraints

from reasonloom.contracts.base import Answer, Content, Filled, Kind, Name, Request, Unit, Whole
from reasonloom.contracts.brief import Brief
from reasonloom.contracts.space import SpacedRequest

CONSTRAINT_LIMIT = 1_000
"""Characters one constraint may have."""

MOST_CONSTRAINTS = 20

Constraint = Annotated[str, StringConstraints(max_length=CONSTRAINT_LIMIT), Filled]


class ReasoningDivergent(Request):
    """Look at a problem from several unlike perspectives at once, and bring them together.

    Novelty is measured, and each perspective is checked against each constraint.
    """

    content: Annotated[Content, Field(description="The topic or problem to explore")]
    session_id: Annotated[Name | None, Field(description="Session to continue (default new)")] = (
        None
    )
    num_perspectives: Annotated[
        Whole, Field(ge=2, le=10, description="How many perspectives to take")
    ] = 3
    constraints: Annotated[
        list[Constraint] | None,
        Field(max_length=MOST_CONSTRAINTS, description="What every perspective must keep to"),
    ] = None
    confidence: Annotated[Unit | None, Field(description="Least confidence wanted")] = None


class SpacedDivergent(SpacedRequest, ReasoningDivergent):
    """Look at a problem from several unlike perspectives at once, and bring them together."""


class CheckedConstraint(Answer):
    """One constraint as one perspective was held against it.

    `kept` is null where nobody could tell; `by` is `llm`, `words` where only words were compared,
    or `none` where there is nothing to check; `why` is the checker's reason.
    """

    brief = Brief(main="constraint", text=("kept",), gist=("why",))

    constraint: str
    kept: bool | None
    by: str
    why: str


class Perspective(Answer):
    """One perspective, a thought on a branch of its own.

    `novelty_score` (0..1) is 1 minus the greatest cosine to any other perspective or to the
    plain answer.
    """

    brief = Brief(
        main="viewpoint",
        text=("lens", "novelty_score", "confidence", "violates", "id"),
        gist=("viewpoint",),
        drop=("constraints",),
    )

    id: str
    viewpoint: str
    novelty_score: float
    lens: str
    branch_id: str
    confidence: float
    constraints: list[CheckedConstraint]
    violates: bool
    kind: Kind | None = None


class DivergentThought(Answer):
    """What several perspectives came to together.

    `sources` are the ids of the perspectives that the synthesis rests on. `partial` marks an
    answer for which part of what was asked for did not come.
    """

    brief = Brief(
        main="synthesis",
        text=(
            "perspectives",
            "confidence",
            "partial",
            "below_threshold",
            "suggestion",
            "kind",
            "thought_id",
            "session_id",
        ),
        gist=("content",),
    )

    thought_id: str
    session_id: str
    branch_id: str
    content: str
    confidence: float
    perspectives: list[Perspective]
    synthesis: str
    sources: list[str]
    previous_thought: str | None
    llm: str
    run_id: str
    memories_used: list[str]
    below_threshold: bool | None = None
    partial: bool | None = None
    suggestion: str | None = None
    kind: Kind | None = None
