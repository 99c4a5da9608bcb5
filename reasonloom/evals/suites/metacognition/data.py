"""Loads labelled biases, emotions, frameworks and pairs, packaged or from a user's folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from reasonloom.errors import InvalidArgument
from reasonloom.evals.suites.labelled import (
    Half,
    Labelled,
    LabelledSet,
    Words,
    halves_of,
    load_records,
    of_half,
    require_balanced,
    require_unique,
)

HERE = Path(__file__).parent
Kind = Literal["plain", "negated", "sarcastic"]
Emotion = Literal[
    "joy", "sadness", "anger", "fear", "disgust", "surprise",
    "pride", "shame", "guilt", "gratitude", "awe", "none",
]  # fmt: skip
Framework = Literal[
    "scientific-method", "design-thinking", "systems-thinking", "critical-thinking",
    "creative-problem-solving", "root-cause-analysis", "first-principles", "scenario-planning",
]  # fmt: skip
EMOTIONS: tuple[Emotion, ...] = get_args(Emotion)
FRAMEWORKS: tuple[Framework, ...] = get_args(Framework)
Bias = Literal[
    "confirmation", "anchoring", "availability", "recency", "representativeness", "framing",
    "sunk_cost", "attribution", "none",
]  # fmt: skip
Fault = Literal[
    "unsupported claim", "contradiction with an earlier sentence", "missing step",
    "evidence that does not bear on the claim", "number mismatch", "hasty generalisation",
    "circularity", "overconfidence", "ignored alternative", "confusion of correlation and cause",
]  # fmt: skip
BIASES: tuple[Bias, ...] = get_args(Bias)
FAULTS: tuple[Fault, ...] = get_args(Fault)

SPREAD = 0.15
"""Maximum length difference of a pair, as a share of the sound side's length."""


def _known(fault: object) -> object:
    if str(fault).partition(": ")[0] not in FAULTS:
        raise ValueError(f"must begin with one of {', '.join(FAULTS)} and a colon")
    return fault


class EmotionText(Labelled):
    """A text and the emotion it expresses; valence is -1 to 1, arousal 0 to 1."""

    label_field = "emotion"

    emotion: Emotion
    kind: Kind
    valence: Annotated[float, Field(ge=-1, le=1)]
    arousal: Annotated[float, Field(ge=0, le=1)]
    text: Words


class ProblemContext(BaseModel):
    """A caller's context for a problem, with the tool's field names."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    background: Words | None = None
    constraints: list[Words] = []
    goals: list[Words] = []


class FrameworkProblem(Labelled):
    """A problem, the framework to apply first, and a brief reason."""

    label_field = "framework"
    body_field = "problem"

    framework: Framework
    problem: Words
    context: ProblemContext | None = None
    why: Words


class BiasText(Labelled):
    """A text, its bias, and the span that shows it; null if the bias is `none`."""

    label_field = "bias"

    bias: Bias
    text: Words
    span: Words | None

    @model_validator(mode="after")
    def _span_fits(self) -> BiasText:
        if (self.span is None) is not (self.bias == "none"):
            raise ValueError("span: must be null for none, and words of the text for a bias")
        if self.span is not None and self.span not in self.text:
            raise ValueError("span: must be words of the text, as they stand there")
        return self


class Pair(Labelled):
    """The same reasoning without and with one planted fault; `evidence` applies to both."""

    sound: Words
    flawed: Words
    fault: Annotated[Words, BeforeValidator(_known)]
    evidence: Annotated[list[Words], Field(min_length=1)] | None = None

    @property
    def label(self) -> str:
        """The category of the fault; `fault` continues with its description."""
        return self.fault.partition(": ")[0]

    @property
    def body(self) -> str:
        """Both sides, the sound one first."""
        return f"{self.sound}\n{self.flawed}"

    @model_validator(mode="after")
    def _alike(self) -> Pair:
        if abs(len(self.flawed) - len(self.sound)) > SPREAD * len(self.sound):
            raise ValueError("flawed: must be as long as sound, to within 15 %")
        return self


def load_emotions(
    half: str = "dev", path: Path = HERE / "emotions.jsonl"
) -> LabelledSet[EmotionText]:
    """Load the labelled emotions of a half or of `all`; `path` may be a file in the same format."""
    items, digest = load_records(path, EmotionText)
    _require_labels(path.name, items, EMOTIONS)
    return LabelledSet(of_half(half, items), digest)


def load_frameworks(
    half: str = "dev", path: Path = HERE / "frameworks.jsonl"
) -> LabelledSet[FrameworkProblem]:
    """Load the labelled problems, as `load_emotions` does."""
    items, digest = load_records(path, FrameworkProblem)
    _require_labels(path.name, items, FRAMEWORKS)
    return LabelledSet(of_half(half, items), digest)


def load_biases(half: str = "dev", path: Path = HERE / "biases.jsonl") -> LabelledSet[BiasText]:
    """Load the labelled biases, as `load_emotions` does."""
    items, digest = load_records(path, BiasText)
    values = (value.casefold() for item in items for value in (item.id, item.text))
    require_unique(values, f"{path.name}: ")
    require_balanced(path.name, ((item.label, item.half) for item in items), BIASES)
    return LabelledSet(of_half(half, items), digest)


def load_pairs(half: str = "dev", path: Path = HERE / "pairs.jsonl") -> LabelledSet[Pair]:
    """Load the pairs, as `load_emotions` does."""
    items, digest = load_records(path, Pair)
    values = (value.casefold() for each in items for value in (each.id, each.sound, each.flawed))
    require_unique(values, f"{path.name}: ")
    require_balanced(path.name, ((item.label, item.half) for item in items), FAULTS)
    return LabelledSet(of_half(half, items), digest)


def _require_labels(name: str, items: Sequence[Labelled], labels: Sequence[str]) -> None:
    values = (value for item in items for value in (item.id, item.body.casefold()))
    require_unique(values, f"{name}: ")
    found = {(item.label, item.half) for item in items}
    for label in labels:
        for half in get_args(Half):
            if (label, half) not in found:
                raise InvalidArgument(f"{name}: {label} has nothing in {half}", field="data")


LOADERS: dict[str, Callable[[str, Path], LabelledSet[Any]]] = {
    "biases": load_biases,
    "emotions": load_emotions,
    "frameworks": load_frameworks,
    "pairs": load_pairs,
}
"""Loaders by name; the file is `NAME.jsonl`."""


@dataclass(frozen=True, slots=True)
class LabelledSets:
    """The labelled items of one half; sets missing from the folder are empty."""

    biases: tuple[BiasText, ...] = ()
    emotions: tuple[EmotionText, ...] = ()
    frameworks: tuple[FrameworkProblem, ...] = ()
    pairs: tuple[Pair, ...] = ()


def load_sets(
    half: str, folder: Path | None = None
) -> tuple[dict[str, LabelledSets], dict[str, str]]:
    """Load the sets by half (`all` gives dev and held), and each file's SHA-256 by name.

    If `folder` is given, only the sets it contains are loaded, instead of the packaged ones.
    """
    paths = {name: (folder or HERE) / f"{name}.jsonl" for name in LOADERS}
    found = {name: path for name, path in paths.items() if path.is_file()}
    if not found:
        known = ", ".join(f"{name}.jsonl" for name in LOADERS)
        raise InvalidArgument(f"data: must be a folder with one of {known}", field="data")
    loaded = {
        each: {name: LOADERS[name](each, path) for name, path in found.items()}
        for each in halves_of(half)
    }
    digests = {name: one.sha256 for name, one in next(iter(loaded.values())).items()}
    sets = {
        each: LabelledSets(**{name: one.items for name, one in own.items()})
        for each, own in loaded.items()
    }
    return sets, digests
