"""The tools about runs: answering the questions of one that waits, reporting what came of one."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from reasonloom.contracts.base import CONTENT_LIMIT, LIST_LIMIT, Answer, Name, Request

Check = Literal["self-judged", "independent"]


class QuestionAnswer(Request):
    """The reply to one question of a waiting run."""

    id: Annotated[Name, Field(description="Of the question, such as r1q2")]
    reply: Annotated[
        dict[str, Any] | str | None,
        Field(description="As its schema says", json_schema_extra={"maxLength": CONTENT_LIMIT}),
    ] = None
    declined: Annotated[bool, Field(description="Go on without a reply")] = False

    @model_validator(mode="after")
    def _one_of_two(self) -> "QuestionAnswer":
        if (self.reply is None) is not self.declined:
            raise PydanticCustomError("one_of", 'give a reply, or "declined": true, and not both')
        return self


class ReasoningAnswer(Request):
    """Answer a run that returned status needs_answers. Returns its next questions or its result."""

    run_id: Name
    answers: Annotated[list[QuestionAnswer], Field(max_length=LIST_LIMIT)]
    check: Annotated[
        Check,
        Field(
            description="Who answered questions marked blind: you, or sub-agents that saw nothing "
            "else"
        ),
    ] = "self-judged"


class ReasoningWaiting(Request):
    """List the runs that wait for answers; with run_id, return its open questions."""

    run_id: Name | None = None


class OpenQuestion(Answer):
    """A question of a waiting run, to be answered under its id."""

    id: str
    error: str | None = None
    role: str
    blind: bool | None = None
    system: str | None = None
    prompt: str
    reply_schema: dict[str, Any] | str | None = None


class NeedsAnswers(Answer):
    """What a run asks: replies are expected by `reasoning_answer`.

    `shared` holds texts and schemas that questions refer to.
    """

    next: str
    run_id: str
    tool: str
    status: Literal["needs_answers"]
    round: int
    rounds_at_most: int | None = None
    max_reply_tokens: int
    shared: dict[str, Any]
    questions: list[OpenQuestion]
    notes: list[str] | None = None


class WaitingRun(Answer):
    """A run that waits; it is abandoned at `expires_at`. `about` begins what it was asked."""

    run_id: str
    tool: str
    about: str
    round: int
    open_questions: int
    waiting_since: str
    expires_at: str


class WaitingRuns(Answer):
    """The runs that wait, the longest waiting first; `next` says how to go on with one."""

    next: str
    runs: list[WaitingRun]


class ReasoningFeedback(Request):
    """Report whether an answer turned out right; later confidences of its tool learn from it.

    Give the answer's run_id, or the thought_id of a stored thought. A later report replaces it.
    """

    run_id: Annotated[Name | None, Field(description="Of the answer")] = None
    thought_id: Annotated[Name | None, Field(description="Stored with the answer")] = None
    outcome: Annotated[
        Literal["right", "partly_right", "wrong"], Field(description="What came of the answer")
    ]

    @model_validator(mode="after")
    def _one_of_two(self) -> "ReasoningFeedback":
        if (self.run_id is None) == (self.thought_id is None):
            raise PydanticCustomError("one_of", "give run_id or thought_id, one of the two")
        return self


class FeedbackStored(Answer):
    """What was stored, and how far this tool's confidences can be trusted so far.

    `outcomes` counts the reported ones of this tool, `right` their mean. The two errors are the
    mean distances of confidence and share right, 0..1, over ten bins: of the confidences as they
    were stated, and of each as recalibrated by all other outcomes.
    """

    run_id: str
    tool: str
    outcome: Literal["right", "partly_right", "wrong"]
    stated_confidence: float
    outcomes: int
    right: float
    calibration_error: float
    recalibrated_error: float
