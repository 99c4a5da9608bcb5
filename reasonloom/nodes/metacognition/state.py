"""State of a check: its input, the computed results, and the lenses' votes."""

from collections.abc import Mapping
from operator import add
from typing import Annotated, Any, Literal, TypedDict

from reasonloom.contracts.metacognition import AssessConfidence, DetectBias, DetectEmotion, Evaluate
from reasonloom.nodes.state import ToolState

PartName = Literal["quality", "confidence", "bias", "emotion"]


Measurements = Mapping[PartName, dict[str, Any]]
"""Results of the parts computed so far."""


class CheckInput(TypedDict):
    """The input of a check: the texts, and the requested parts in order."""

    text: str
    evidence: list[str]
    context: str
    parts: list[PartName]


class JudgeVote(TypedDict):
    """The reply of one lens on one part; `said` is None if there was none."""

    part: PartName
    lens: str
    said: dict[str, Any] | None


class JudgeTask(TypedDict):
    """A task for one lens to judge one part, without access to the computed results."""

    given: CheckInput
    part: PartName
    lens: str


class CheckState(ToolState, total=False):
    """State of a check; `milliseconds` is the duration of computing `measured`."""

    given: CheckInput
    language: dict[str, Any]
    milliseconds: list[float]
    measured: dict[str, dict[str, Any]]
    votes: Annotated[list[JudgeVote], add]


def confidence_input(request: dict[str, Any]) -> CheckInput:
    """Return the check input of an `assess_confidence` request."""
    given = AssessConfidence.model_validate(request)
    return _check_input(given.reasoning, given.context, ["confidence"], given.evidence)


def bias_input(request: dict[str, Any]) -> CheckInput:
    """Return the check input of a `detect_bias` request."""
    given = DetectBias.model_validate(request)
    return _check_input(given.reasoning, given.context, ["bias"])


def emotion_input(request: dict[str, Any]) -> CheckInput:
    """Return the check input of a `detect_emotion` request."""
    given = DetectEmotion.model_validate(request)
    return _check_input(given.text, given.context, ["emotion"])


def evaluation_input(request: dict[str, Any]) -> CheckInput:
    """Return the check input of an `evaluate` request: quality and the parts to include."""
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
