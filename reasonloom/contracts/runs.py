"""The tools about runs: answering one that waits, reporting an outcome, comparing eval runs."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from reasonloom.contracts.base import CONTENT_LIMIT, LIST_LIMIT, Answer, Name, Request
from reasonloom.contracts.base import WholeNumber as Whole
from reasonloom.contracts.brief import Brief

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

    example_values: ClassVar[Mapping[str, Any]] = {
        "answers": [{"id": "r1q1", "reply": {"thought": "..."}}]
    }

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
    """The runs that wait, the longest waiting first; `next` says how to continue one."""

    next: str
    runs: list[WaitingRun]


class ReasoningFeedback(Request):
    """Report whether an answer turned out right; later confidences of its tool learn from it.

    Give the answer's run_id, or the thought_id of a stored thought. A later report replaces it.
    """

    run_id: Annotated[Name | None, Field(description="Of the answer")] = None
    thought_id: Annotated[Name | None, Field(description="Stored with the answer")] = None
    outcome: Annotated[
        Literal["right", "partly_right", "wrong"], Field(description="Whether the answer was right")
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


class EvalCompare(Request):
    """Compare two saved eval runs case by case, such as two versions of a prompt.

    By default the newest two of one suite that differ in a prompt version.
    """

    base: Annotated[
        Name | None, Field(description="The run to compare with: its name, or its number in runs")
    ] = None
    other: Annotated[Name | None, Field(description="The other run, likewise")] = None
    limit: Annotated[Whole, Field(ge=0, le=50, description="Maximum cases")] = 10


Interval = list[float] | Literal["not estimable"]


class SavedEval(Answer):
    """A saved run of an eval; runs are numbered from the newest, 1."""

    brief = Brief(main="name", text=("number", "suite"))

    number: int
    name: str
    suite: str


class ComparedEval(Answer):
    """One of the compared runs; `label` names what differs, such as a prompt with its version.

    `score` is the mean of its items, with its 95 % interval.
    """

    brief = Brief(main="label", text=("name", "score", "interval"))

    name: str
    label: str
    llm: str
    items: int
    score: float
    interval: Interval


class ComparedFigure(Answer):
    """A mean of an item in both runs; the 95 % interval is that of the paired difference."""

    brief = Brief(main="name", text=("base", "other", "difference", "interval"))

    name: str
    base: float
    other: float
    difference: float
    interval: Interval


class ChangedPrompt(Answer):
    """A prompt that differs; a version is null where the run does not use it."""

    brief = Brief(main="prompt", text=("base_version", "other_version"))

    prompt: str
    base_version: str | None
    other_version: str | None
    lines: list[str]


class CaseAnswer(Answer):
    """A run's first answer to a case; `changed` holds starts and ends of words that differ."""

    brief = Brief(main="text", text=("score",), drop=("changed",))

    score: float
    text: str
    changed: list[tuple[int, int]]


class ComparedCase(Answer):
    """A case of the suite in both runs; a run is null where it did not answer the case."""

    brief = Brief(main="item", text=("outcome", "question", "base", "other"))

    item: str
    question: str
    outcome: Literal["to_wrong", "to_right", "other", "wrong", "right"]
    base: CaseAnswer | None
    other: CaseAnswer | None


class EvalComparison(Answer):
    """What differs between two runs; cases that became wrong come first, then those become right.

    `better` says whether higher or lower scores are. A long text is cut with an ellipsis.
    """

    brief = Brief(main="verdict", text=("base", "other", "figures", "prompts", "cases"))

    suite: str
    score: str
    better: Literal["higher", "lower"]
    verdict: str
    caveats: list[str]
    base: ComparedEval
    other: ComparedEval
    figures: list[ComparedFigure]
    prompts: list[ChangedPrompt]
    cases: list[ComparedCase]
    cases_total: int


class EvalCompared(Answer):
    """The comparison, null where no two runs can be compared; and the newest saved runs."""

    brief = Brief(text=("comparison", "runs"), few={"runs": 5})

    comparison: EvalComparison | None
    runs: list[SavedEval]
    runs_total: int
