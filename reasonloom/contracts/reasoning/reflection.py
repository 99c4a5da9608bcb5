"""Reflection on a thought, and on a whole session (reference: mcp-langbase-reasoning)."""

from typing import Annotated, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from reasonloom.contracts.base import Answer, Content, Kind, Name, Request, Whole
from reasonloom.contracts.brief import Brief
from reasonloom.contracts.space import SpacedRequest

MOST_AREAS = 20


class ReasoningReflection(Request):
    """Criticise an answer and improve it; a revision counts only where a blind judge prefers it.

    Give the answer as content, or name a stored thought.
    """

    content: Annotated[
        Content | None, Field(description="What to reflect on (if not using thought_id)")
    ] = None
    thought_id: Annotated[Name | None, Field(description="Stored thought to reflect on")] = None
    session_id: Annotated[Name | None, Field(description="Session (default the thought's)")] = None
    focus_areas: Annotated[
        list[Name] | None,
        Field(max_length=MOST_AREAS, description="What to look at"),
    ] = None
    max_iterations: Annotated[Whole, Field(ge=1, le=5, description="Most rounds")] = 1

    @model_validator(mode="after")
    def take_one_of_two(self) -> Self:
        """Refuse both inputs, and neither."""
        if (self.content is None) == (self.thought_id is None):
            raise PydanticCustomError("one_of", "give content or thought_id, one of the two")
        return self


class ReflectionWithQuestion(ReasoningReflection):
    """Criticise an answer and improve it; a revision counts only where a blind judge prefers it.

    Give the answer as content, or name a stored thought.
    """

    question: Annotated[Content | None, Field(description="Of content")] = None

    @model_validator(mode="after")
    def refuse_second_question(self) -> Self:
        """Refuse a question where a thought is named."""
        if self.question is not None and self.thought_id is not None:
            raise PydanticCustomError(
                "one_of", "give question with content only; a stored thought has its own"
            )
        return self


class SpacedReflection(SpacedRequest, ReflectionWithQuestion):
    """Criticise and improve an answer; a revision counts only if a blind judge prefers it.

    Give it as content, or name a thought.
    """


class ReflectionEvaluate(Request):
    """Evaluate a session: how it hangs together, how sure it is, what it leaves open.

    All figures are computed; a language model's opinion is given separately.
    """

    session_id: Annotated[Name, Field(description="Session to evaluate")]


class FocusFinding(Answer):
    """What was found about one focus area; `by` is `llm`, or `none` of an open question."""

    brief = Brief(main="finding", text=("area", "kind"))

    area: str
    finding: str
    by: str
    kind: Kind | None = None


class Reflection(Answer):
    """A reflection, stored as a thought.

    `improved_reasoning` is the best answer there is now: the original where no revision was
    preferred. `iterations` counts the rounds, `accepted` the revisions that replaced what
    was there.
    """

    brief = Brief(
        main="improved_reasoning",
        text=(
            "strengths",
            "weaknesses",
            "recommendations",
            "focus",
            "accepted",
            "confidence",
            "partial",
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
    strengths: list[str]
    weaknesses: list[str]
    recommendations: list[str]
    improved_reasoning: str
    focus: list[FocusFinding]
    iterations: int
    accepted: int
    stopped_because: str
    reflects_on: str | None
    previous_thought: str | None
    llm: str
    run_id: str
    memories_used: list[str]
    partial: bool | None = None
    suggestion: str | None = None
    kind: Kind | None = None


class Opinion(Answer):
    """What a language model says of a session; it changes no figure."""

    brief = Brief(main="opinion", text=("strengths", "weaknesses", "recommendations"))

    llm: str
    opinion: str
    strengths: list[str]
    weaknesses: list[str]
    recommendations: list[str]


class Evaluation(Answer):
    """A session's figures, all 0..1 but the counts, and what follows from them."""

    brief = Brief(
        text=(
            "thought_count",
            "coherence",
            "confidence",
            "coverage",
            "open_branches",
            "strengths",
            "weaknesses",
            "recommendations",
            "opinion",
            "partial",
            "suggestion",
        )
    )

    session_id: str
    thought_count: int
    coherence: float
    confidence: float
    coverage: float
    open_branches: int
    strengths: list[str]
    weaknesses: list[str]
    recommendations: list[str]
    run_id: str
    opinion: Opinion | None = None
    partial: bool | None = None
    suggestion: str | None = None
