"""The choice of a reasoning mode (reference: mcp-langbase-reasoning)."""

from typing import Annotated, Any, Literal

from pydantic import Field

from reasonloom.contracts.base import Answer, Content, Name, Request
from reasonloom.contracts.brief import Brief
from reasonloom.contracts.space import SpacedRequest

Mode = Literal["linear", "tree", "divergent", "reflection", "backtracking", "got", "ponder"]
MOST_HINTS = 20


class ReasoningAuto(Request):
    """Choose the reasoning mode that fits a problem, with reasons and alternatives.

    Simple problems get linear. Nothing is reasoned about the problem itself.
    """

    content: Annotated[Content, Field(description="The problem to choose a mode for")]
    session_id: Annotated[Name | None, Field(description="Session it would continue")] = None
    hints: Annotated[
        list[Name] | None,
        Field(max_length=MOST_HINTS, description="What kind of problem it is; hints weigh in"),
    ] = None


class ExecutingAuto(ReasoningAuto):
    """Choose the reasoning mode that fits a problem, with reasons and alternatives.

    With execute two direct answers are compared; if they differ, the chosen mode is run on both.
    """

    execute: Annotated[bool, Field(description="Run the chosen mode too")] = False


class SpacedAuto(SpacedRequest, ExecutingAuto):
    """Choose the reasoning mode that fits a problem, with reasons; execute runs it too."""


class ModeOption(Answer):
    """A mode that is less fitting, and what speaks for it."""

    brief = Brief(main="rationale", text=("mode", "confidence"), gist=("rationale",))

    mode: str
    confidence: float
    rationale: str


class Vote(Answer):
    """One vote: `by` is `features` or `llm`; the two do not know of each other."""

    brief = Brief(main="rationale")

    by: str
    mode: str
    confidence: float
    rationale: str


class Recommendation(Answer):
    """The mode to take; `features` are what was computed of the content, each 0..1.

    `result` is the answer of the mode's own tool, `executed` its name; where `execute` was
    asked for and could not be, `not_executed` says why. `checkpoint_id` is the newest one to
    go back to. `partial` marks a choice that lacks the language model's vote. `direct_answers`
    are two that differed, so that a mode was run on both; where they agreed `result` is one.
    """

    brief = Brief(
        main="rationale",
        text=(
            "recommended_mode",
            "confidence",
            "executed",
            "not_executed",
            "result",
            "direct_answers",
            "alternative_modes",
            "checkpoint_id",
            "partial",
            "suggestion",
        ),
        few={"alternative_modes": 2},
        drop=("features", "votes"),
        answer_of={"result": "executed"},
    )

    recommended_mode: Mode
    confidence: float
    rationale: str
    complexity: float
    alternative_modes: list[ModeOption]
    features: dict[str, float]
    votes: list[Vote]
    llm: str
    run_id: str
    checkpoint_id: str | None = None
    partial: bool | None = None
    suggestion: str | None = None
    executed: str | None = None
    result: dict[str, Any] | None = None
    not_executed: str | None = None
    direct_answers: list[str] | None = None
