"""Analysing by one of eight frameworks, or by two at once (reference: ThoughtMCP)."""

from typing import Annotated, Any, Literal

from pydantic import Field

from reasonloom.contracts.base import CamelAnswer, CamelRequest, Content, Kind
from reasonloom.contracts.brief import Brief
from reasonloom.contracts.reasoning.divergent import CheckedConstraint
from reasonloom.contracts.space import SpacedRequest
from reasonloom.contracts.thinking.think import Context, GoalCovered, Status

FrameworkId = Literal[
    "scientific-method",
    "design-thinking",
    "systems-thinking",
    "critical-thinking",
    "creative-problem-solving",
    "root-cause-analysis",
    "first-principles",
    "scenario-planning",
]


class Analyze(CamelRequest):
    """Analyse a problem step by step by the framework that fits it, out of eight.

    Says why that one, and what fits next. A conclusion that breaks a constraint is marked.
    """

    problem: Annotated[Content, Field(description="Problem to analyze")]
    preferred_framework: Annotated[
        FrameworkId | None, Field(description="Overrides the choice")
    ] = None
    context: Context | None = None


class SpacedAnalyze(SpacedRequest, Analyze):
    """Analyse a problem step by step by the framework that fits it, out of eight.

    Says why that one, and what fits next. A conclusion that breaks a constraint is marked.
    """


class FrameworkName(CamelAnswer):
    """A framework by its id and name."""

    brief = Brief(text=("id",))

    id: str
    name: str


class FrameworkTaken(FrameworkName):
    """The framework that was taken."""

    brief = Brief(main="name", text=("id",), gist=("description",))

    description: str


class Selection(CamelAnswer):
    """How the framework was chosen: by `features`, by them and the llm's vote, or the `caller`.

    `confidence` is its share of one among all eight, `is_hybrid` tells that the second was so
    close that its steps are done as well.
    """

    brief = Brief(main="reason", text=("by", "confidence"))

    confidence: float
    reason: str
    is_hybrid: bool
    by: Literal["features", "features_and_llm", "caller"]


class FrameworkVote(CamelAnswer):
    """One vote: `by` is `features` or `llm`; the two do not know of each other."""

    brief = Brief(main="reason")

    by: str
    framework: str
    confidence: float
    reason: str


class AnalysisResult(CamelAnswer):
    """What the steps came to; `steps` says of each in short what it found.

    `processing_time` is in milliseconds.
    """

    brief = Brief(
        main="conclusion", text=("confidence", "insights", "steps"), gist=("steps", "insights")
    )

    conclusion: str
    steps: list[str]
    insights: list[str]
    confidence: float
    processing_time: float


class Alternative(CamelAnswer):
    """Another framework: its share of one, and what speaks for it."""

    brief = Brief(gist=("reason",))

    framework: FrameworkName
    reason: str
    confidence: float


class StepOutput(CamelAnswer):
    """What one step came to; `open` is what it asks and nothing given answers."""

    brief = Brief(main="output", text=("label", "step"), gist=("output",), drop=("insights",))

    label: str
    framework: str
    step: str
    output: str
    insights: list[str]
    open: list[str]
    confidence: float


class FailedStep(CamelAnswer):
    """A step that did not come, and why."""

    framework: str
    step: str
    why: str


class Analyzed(CamelAnswer):
    """What a framework's steps came to, and why this framework.

    `rests_on` are the labels of the `outputs` that the conclusion rests on. `constraints` are
    those of the conclusion, `violates` tells whether it breaks one. `failed_steps` names what a
    partial answer lacks.
    """

    brief = Brief(
        text=(
            "result",
            "framework",
            "second_framework",
            "violates",
            "constraints",
            "goals",
            "status",
            "failed_steps",
            "suggestion",
            "kind",
            "session_id",
            "thought_id",
        ),
        few={"alternatives": 1},
        drop=("votes", "outputs"),
    )

    framework: FrameworkTaken
    selection: Selection
    result: AnalysisResult
    alternatives: list[Alternative]
    second_framework: FrameworkTaken | None = None
    votes: list[FrameworkVote]
    outputs: list[StepOutput]
    rests_on: list[str]
    status: Status
    constraints: list[CheckedConstraint]
    violates: bool
    goals: list[GoalCovered]
    memories_used: list[str]
    session_id: str
    thought_id: str
    failed_steps: list[FailedStep] | None = None
    suggestion: str | None = None
    kind: Kind | None = None
    context: dict[str, Any] | None = None
