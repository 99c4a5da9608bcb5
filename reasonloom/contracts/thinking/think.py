"""Thinking in streams, one alone or four side by side (reference: ThoughtMCP)."""

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from reasonloom.contracts.base import (
    CamelAnswer,
    CamelRequest,
    Content,
    Kind,
    OpenObject,
    WholeNumber,
)
from reasonloom.contracts.brief import Brief
from reasonloom.contracts.reasoning.divergent import MOST_CONSTRAINTS, CheckedConstraint, Constraint
from reasonloom.contracts.space import SpacedRequest

Mode = Literal["analytical", "creative", "critical", "synthetic", "parallel"]
Status = Literal["completed", "partial"]
Stopped = Literal["finished", "agreed", "deadline", "budget", "failed", "offline"]
USUAL_TIMEOUT = 30_000
"""Milliseconds."""

Points = Annotated[list[Constraint], Field(max_length=MOST_CONSTRAINTS)]


class OpenContext(OpenObject):
    """What is known of a problem; keys of the caller's own are read as background too."""

    background: Content | None = None

    def known(self) -> str:
        """Return the background with the caller's own keys, one a line."""
        lines = [self.background] if self.background else []
        for key, value in self.other_keys().items():
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            lines.append(f"{key}: {text}")
        return "\n".join(lines)


def returned_context(context: OpenContext | None) -> dict[str, Any]:
    """Return the field of an answer that gives the caller's own keys of `context` back."""
    keys = context.other_keys() if context else {}
    return {"context": keys} if keys else {}


class Context(OpenContext):
    """What is known of a problem, what must hold, and what is wanted."""

    constraints: Points | None = None
    goals: Points | None = None


class Think(CamelRequest):
    """Think a problem through in one way, or in four ways at once that are brought together.

    A conclusion that breaks a constraint is marked.
    """

    problem: Annotated[Content, Field(description="Problem or question")]
    mode: Annotated[
        Mode,
        Field(description="parallel: all four at once"),
    ]
    context: Context | None = None


class SpacedThink(SpacedRequest, Think):
    """Think a problem through in one way, or in four ways at once that are brought together.

    A conclusion that breaks a constraint is marked.
    """


class Ponder(CamelRequest):
    """Think in four streams that hear and answer each other at 25, 50 and 75 percent.

    For hard questions with conflicting sides: names sources, keeps conflicts.
    """

    problem: Annotated[Content, Field(description="Problem to think about")]
    timeout: Annotated[
        WholeNumber, Field(ge=1_000, le=60_000, description="Milliseconds in all")
    ] = USUAL_TIMEOUT
    context: Context | None = None


class LongPonder(Ponder):
    """Think in four streams that answer each other, for up to ten minutes."""

    timeout: Annotated[
        WholeNumber, Field(ge=1_000, le=600_000, description="Milliseconds in all")
    ] = USUAL_TIMEOUT


class SpacedPonder(SpacedRequest, LongPonder):
    """Think in four streams that answer each other and take back what does not hold.

    For hard questions with conflicting sides: names sources, keeps conflicts.
    """


class Insight(CamelAnswer):
    """What one stream or several (`sources`) have seen; importance and confidence 0..1."""

    brief = Brief(main="content", text=("sources", "confidence"), gist=("content",))

    content: str
    sources: list[str]
    importance: float
    confidence: float


class HeldInsight(Insight):
    """An insight of a deliberation; `withdrawn` says why its streams took it back."""

    withdrawn: str | None = None


class StreamConflict(CamelAnswer):
    """Two streams that contradict each other; `severity` (0..1) is computed."""

    brief = Brief(
        main="description", text=("type", "severity", "source_streams"), drop=("evidence",)
    )

    id: str
    type: str
    description: str
    severity: float
    source_streams: list[str]
    evidence: list[str]


class ResolvedConflict(StreamConflict):
    """A conflict of a deliberation; `resolved` says how it was settled, if it was."""

    resolved: str | None = None


class Advice(CamelAnswer):
    """What to do; priority 1 comes first, `sources` are the streams that it rests on."""

    brief = Brief(main="description", text=("priority", "confidence"), gist=("rationale",))

    description: str
    sources: list[str]
    priority: int
    confidence: float
    rationale: str


class StreamResult(CamelAnswer):
    """What one stream came to after so many quarters, held against the constraints."""

    brief = Brief(
        main="conclusion",
        text=("stream", "confidence", "violates"),
        gist=("conclusion",),
        drop=("constraints",),
    )

    stream: str
    conclusion: str
    confidence: float
    quarters: int
    constraints: list[CheckedConstraint]
    violates: bool
    kind: Kind | None = None


class MissingPart(CamelAnswer):
    """Quarters that one stream did not come to."""

    stream: str
    quarters: list[int]


class Quality(CamelAnswer):
    """What `quality` is made of, each 0..1."""

    coverage: float
    agreement: float
    diversity: float


class GoalCovered(CamelAnswer):
    """How much of a goal (0..1) insights and conclusion speak of."""

    goal: str
    covered: float


CONSIDERED = (
    "confidence", "status", "violates", "constraints", "goals", "missing", "suggestion", "kind",
    "session_id", "thought_id",
)  # fmt: skip
"""What the text of a short answer has beside the conclusion."""


class Considered(CamelAnswer):
    """What all thinking comes to.

    `constraints` are those of the conclusion, `violates` tells whether it breaks one.
    `processing_time` is in milliseconds. `missing` names what a partial answer lacks.
    `context` holds the keys of the request's context that only the caller knows.
    """

    brief = Brief(main="conclusion", text=CONSIDERED)

    conclusion: str
    confidence: float
    processing_time: float
    status: Status
    constraints: list[CheckedConstraint]
    violates: bool
    goals: list[GoalCovered]
    memories_used: list[str]
    session_id: str
    thought_id: str
    missing: list[MissingPart] | None = None
    suggestion: str | None = None
    kind: Kind | None = None
    context: dict[str, Any] | None = None


class Thinking(Considered):
    """One stream's thinking (`reasoning`, plain insights), or that of four in parallel."""

    brief = Brief(
        main="conclusion",
        text=("recommendations", "insights", "conflicts", "streams", *CONSIDERED),
        few={"insights": 5, "reasoning": 3},
        drop=("quality_parts",),
    )

    insights: list[str] | list[Insight]
    reasoning: list[str] | None = None
    recommendations: list[Advice] | None = None
    conflicts: list[StreamConflict] | None = None
    quality: float | None = None
    quality_parts: Quality | None = None
    streams: list[StreamResult] | None = None


class Pondered(Considered):
    """What four streams came to that heard each other; `quarters` were finished by some."""

    brief = Brief(
        main="conclusion",
        text=("recommendations", "insights", "conflicts", "streams", *CONSIDERED),
        few={"insights": 5},
    )

    insights: Sequence[Insight]
    recommendations: list[Advice]
    conflicts: Sequence[StreamConflict]
    quality: float
    quality_parts: Quality
    streams: list[StreamResult]
    quarters: int
    stopped_because: Stopped


class Deliberated(Pondered):
    """What four streams came to in rounds; `quarters` counts the rounds that some finished.

    Insights may be `withdrawn` and conflicts `resolved`; the others stay.
    """

    insights: Sequence[HeldInsight]
    conflicts: Sequence[ResolvedConflict]
