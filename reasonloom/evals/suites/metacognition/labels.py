"""Loads and validates labelled sets: the shared form, emotions and frameworks."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Generic, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reasonloom.errors import InvalidArgument

FOLDER = "reasonloom.evals.suites.metacognition"

Half = Literal["dev", "held"]
Kind = Literal["plain", "negated", "sarcastic"]
Emotion = Literal[
    "joy", "sadness", "anger", "fear", "disgust", "surprise",
    "pride", "shame", "guilt", "gratitude", "awe", "none",
]  # fmt: skip
Framework = Literal[
    "scientific-method",
    "design-thinking",
    "systems-thinking",
    "critical-thinking",
    "creative-problem-solving",
    "root-cause-analysis",
    "first-principles",
    "scenario-planning",
]
EMOTIONS: tuple[Emotion, ...] = get_args(Emotion)
FRAMEWORKS: tuple[Framework, ...] = get_args(Framework)
HALVES = (*get_args(Half), "all")

Words = Annotated[str, Field(min_length=1, pattern=r"^\S(.*\S)?$")]


class Labelled(BaseModel):
    """Fields shared by all labelled records: id, and the half, of which `held` must not be tuned on."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)

    id: Words
    half: Half

    @property
    @abstractmethod
    def label(self) -> str:
        """The right answer."""

    @property
    @abstractmethod
    def said(self) -> str:
        """The text that is presented to whoever has to answer."""


class EmotionText(Labelled):
    """A text and the emotion of its writer or person; valence is -1 to 1, arousal 0 to 1."""

    emotion: Emotion
    kind: Kind
    valence: Annotated[float, Field(ge=-1, le=1)]
    arousal: Annotated[float, Field(ge=0, le=1)]
    text: Words

    @property
    def label(self) -> str:
        """The emotion."""
        return self.emotion

    @property
    def said(self) -> str:
        """The text."""
        return self.text


class ProblemContext(BaseModel):
    """A caller's additions to a problem, named as in the tool."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    background: Words | None = None
    constraints: list[Words] = []
    goals: list[Words] = []


class FrameworkProblem(Labelled):
    """A problem, the framework to apply first, and a short reason."""

    framework: Framework
    problem: Words
    context: ProblemContext | None = None
    why: Words

    @property
    def label(self) -> str:
        """The framework."""
        return self.framework

    @property
    def said(self) -> str:
        """The problem, without its context."""
        return self.problem


T = TypeVar("T", bound=Labelled)


@dataclass(frozen=True)
class LabelledSet(Generic[T]):
    """Records in file order, and the SHA-256 of the file in hex."""

    items: tuple[T, ...]
    sha256: str


def load_emotions(half: str = "dev", path: Path | None = None) -> LabelledSet[EmotionText]:
    """Load the labelled emotions of a half or of `all`; `path` may be another file of this form.

    Raises:
        InvalidArgument: unknown half, or a file that is missing or malformed.
    """
    items, raw = load_records("emotions.jsonl", EmotionText, path)
    _require_sound("emotions.jsonl", items, EMOTIONS)
    return LabelledSet(of_half(half, items), hashlib.sha256(raw).hexdigest())


def load_frameworks(half: str = "dev", path: Path | None = None) -> LabelledSet[FrameworkProblem]:
    """Load the labelled problems of a half or of `all`; `path` may be another file of this form.

    Raises:
        InvalidArgument: unknown half, or a file that is missing or malformed.
    """
    items, raw = load_records("frameworks.jsonl", FrameworkProblem, path)
    _require_sound("frameworks.jsonl", items, FRAMEWORKS)
    return LabelledSet(of_half(half, items), hashlib.sha256(raw).hexdigest())


def halves_of(half: str) -> tuple[str, ...]:
    """Return the halves of a name: itself, or both for `all`."""
    return get_args(Half) if half == "all" else (half,)


def of_half(half: str, items: Sequence[T]) -> tuple[T, ...]:
    """Return the records of a half, or of `all`.

    Raises:
        InvalidArgument: unknown half.
    """
    if half not in HALVES:
        raise InvalidArgument(f"half: must be one of {', '.join(HALVES)}", field="half")
    return tuple(item for item in items if half in (item.half, "all"))


def load_records(name: str, form: type[T], path: Path | None) -> tuple[list[T], bytes]:
    """Load the records of a packaged set, or of the file at `path`, and the file's bytes.

    Raises:
        InvalidArgument: the file is missing, or a line is malformed.
    """
    try:
        raw = (path or files(FOLDER) / name).read_bytes()
    except OSError:
        raise InvalidArgument(f"{name}: there is no such file", field="data") from None
    return [_record(name, n, line, form) for n, line in enumerate(raw.splitlines(), 1)], raw


def _record(name: str, number: int, line: bytes, form: type[T]) -> T:
    try:
        return form.model_validate_json(line)
    except ValidationError as mistake:
        first = mistake.errors(include_url=False, include_input=False)[0]
        where = ", ".join([f"line {number}", *map(str, first["loc"])])
        why = first["msg"].removeprefix("Value error, ")
    raise InvalidArgument(f"{name}, {where}: {why}", field="data")


def _require_sound(name: str, items: Sequence[T], labels: Sequence[str]) -> None:
    seen: set[str] = set()
    for item in items:
        for value in (item.id, item.said.casefold()):
            if value in seen:
                raise InvalidArgument(f"{name}: {value!r} is there twice", field="data")
            seen.add(value)
    found = {(item.label, item.half) for item in items}
    for label in labels:
        for half in get_args(Half):
            if (label, half) not in found:
                raise InvalidArgument(f"{name}: {label} has nothing in {half}", field="data")
