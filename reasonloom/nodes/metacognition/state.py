"""What a check carries: what it is given, what was computed, and what the lenses said."""

from collections.abc import Mapping
from operator import add
from typing import Annotated, Any, Literal, TypedDict

from reasonloom.contracts.metacognition import AssessConfidence, DetectBias, DetectEmotion, Evaluate
from reasonloom.nodes.state import ToolState

PartName = Literal["quality", "confidence", "bias", "emotion"]


Measurements = Mapping[PartName, dict[str, Any]]
"""What was computed of other parts already."""


class CheckInput(TypedDict):
    """What is to be checked, and how: the parts asked for, in order."""

    text: str
    evidence: list[str]
    context: str
    parts: list[PartName]


class JudgeVote(TypedDict):
    """What one lens of the language model said of one part; None where no answer came."""

    part: PartName
    lens: str
    said: dict[str, Any] | None


class JudgeTask(TypedDict):
    """One task: a lens that looks at one part, told nothing of what was computed."""

    given: CheckInput
    part: PartName
    lens: str


class CheckState(ToolState, total=False):
    """`measured` holds for each part what was computed, `milliseconds` how long that took."""

    given: CheckInput
    language: dict[str, Any]
    milliseconds: list[float]
    measured: dict[str, dict[str, Any]]
    votes: Annotated[list[JudgeVote], add]


def confidence_input(request: dict[str, Any]) -> CheckInput:
    """Return what `assess_confidence` is given."""
    given = AssessConfidence.model_validate(request)
    return _check_input(given.reasoning, given.context, ["confidence"], given.evidence)


def bias_input(request: dict[str, Any]) -> CheckInput:
    """Return what `detect_bias` is given."""
    given = DetectBias.model_validate(request)
    return _check_input(given.reasoning, given.context, ["bias"])


def emotion_input(request: dict[str, Any]) -> CheckInput:
    """Return what `detect_emotion` is given."""
    given = DetectEmotion.model_validate(request)
    return _check_input(given.text, given.context, ["emotion"])


def evaluation_input(request: dict[str, Any]) -> CheckInput:
    """Return what `evaluate` is given: quality, and the parts that are to be included."""
    given = Evaluate.model_validate(request)
    parts: list[PartName] = ["quality"]
    parts += ["confidence"] if given.include_confidence else []
    parts += ["bias"] if given.include_bias else []
    parts += ["emotion"] if given.include_emotion else []
    return _check_input(given.reasoning, given.context, parts)


def _check_input(
    text: str, context: str | None, parts: list[PartName], evidence: list[str] | None = None
) -> CheckInput:
    return CheckInput(text=text, evidence=evidence or [], context=context or "", parts=parts)
