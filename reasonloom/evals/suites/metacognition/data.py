"""Loads and validates the labelled biases and pairs, and the four sets together."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import BeforeValidator, Field, model_validator

from reasonloom.errors import InvalidArgument
from reasonloom.evals.suites.metacognition.labels import (
    EmotionText,
    FrameworkProblem,
    Half,
    Labelled,
    LabelledSet,
    Words,
    load_emotions,
    load_frameworks,
    load_records,
    of_half,
)

Bias = Literal[
    "confirmation",
    "anchoring",
    "availability",
    "recency",
    "representativeness",
    "framing",
    "sunk_cost",
    "attribution",
    "none",
]
Fault = Literal[
    "unsupported claim",
    "contradiction with an earlier sentence",
    "missing step",
    "evidence that does not bear on the claim",
    "number mismatch",
    "hasty generalisation",
    "circularity",
    "overconfidence",
    "ignored alternative",
    "confusion of correlation and cause",
]
BIASES: tuple[Bias, ...] = get_args(Bias)
FAULTS: tuple[Fault, ...] = get_args(Fault)

SPREAD = 0.15
"""Allowed difference of a pair's lengths, as a share of the sound one's."""


def _known(fault: object) -> object:
    if str(fault).partition(": ")[0] not in FAULTS:
        raise ValueError(f"must begin with one of {', '.join(FAULTS)} and a colon")
    return fault


class BiasText(Labelled):
    """A text, its bias, and the words that show it; `none` has no such words."""

    bias: Bias
    text: Words
    span: Words | None

    @property
    def label(self) -> str:
        """The bias."""
        return self.bias

    @property
    def said(self) -> str:
        """The text."""
        return self.text

    @model_validator(mode="after")
    def _span_fits(self) -> BiasText:
        if (self.span is None) is not (self.bias == "none"):
            raise ValueError("span: must be null for none, and words of the text for a bias")
        if self.span is not None and self.span not in self.text:
            raise ValueError("span: must be words of the text, as they stand there")
        return self


class Pair(Labelled):
    """The same reasoning without and with one planted fault; `evidence` goes with both."""

    sound: Words
    flawed: Words
    fault: Annotated[Words, BeforeValidator(_known)]
    evidence: Annotated[list[Words], Field(min_length=1)] | None = None

    @property
    def label(self) -> str:
        """The category of the fault; the rest of `fault` is its description."""
        return self.fault.partition(": ")[0]

    @property
    def said(self) -> str:
        """Both, the sound one first."""
        return f"{self.sound}\n{self.flawed}"

    @model_validator(mode="after")
    def _alike(self) -> Pair:
        if abs(len(self.flawed) - len(self.sound)) > SPREAD * len(self.sound):
            raise ValueError("flawed: must be as long as sound, to within 15 %")
        return self


T = TypeVar("T", bound=Labelled)


def load_biases(half: str = "dev", path: Path | None = None) -> LabelledSet[BiasText]:
    """Load the labelled biases of a half or of `all`; `path` may be another file of this form.

    Raises:
        InvalidArgument: unknown half, or a file that is missing or malformed.
    """
    items, raw = load_records("biases.jsonl", BiasText, path)
    _require_once("biases.jsonl", (text for item in items for text in (item.id, item.text)))
    _require_even("biases.jsonl", items, BIASES)
    return LabelledSet(of_half(half, items), hashlib.sha256(raw).hexdigest())


def load_pairs(half: str = "dev", path: Path | None = None) -> LabelledSet[Pair]:
    """Load the pairs of a half or of `all`; `path` may be another file of this form.

    Raises:
        InvalidArgument: unknown half, or a file that is missing or malformed.
    """
    items, raw = load_records("pairs.jsonl", Pair, path)
    texts = (text for item in items for text in (item.id, item.sound, item.flawed))
    _require_once("pairs.jsonl", texts)
    _require_even("pairs.jsonl", items, FAULTS)
    return LabelledSet(of_half(half, items), hashlib.sha256(raw).hexdigest())


def _require_once(name: str, texts: Iterable[str]) -> None:
    for text, times in Counter(text.casefold() for text in texts).items():
        if times > 1:
            raise InvalidArgument(f"{name}: {text!r} is there twice", field="data")


def _require_even(name: str, items: Sequence[Labelled], labels: Sequence[str]) -> None:
    """Refuse a set in which a label is absent or not equally frequent in both halves."""
    counted = Counter((item.label, item.half) for item in items)
    for label in labels:
        dev, held = (counted[label, half] for half in get_args(Half))
        if dev != held or not dev:
            why = f"{label} has {dev} in dev and {held} in held; the halves must be equal"
            raise InvalidArgument(f"{name}: {why}", field="data")


LOADERS: dict[str, Callable[[str, Path | None], LabelledSet[Any]]] = {
    "biases": load_biases,
    "emotions": load_emotions,
    "frameworks": load_frameworks,
    "pairs": load_pairs,
}
"""By name; the file is `NAME.jsonl`."""


@dataclass(frozen=True, slots=True)
class LabelledSets:
    """The labelled items of one half; sets that a folder lacks are empty."""

    biases: tuple[BiasText, ...] = ()
    emotions: tuple[EmotionText, ...] = ()
    frameworks: tuple[FrameworkProblem, ...] = ()
    pairs: tuple[Pair, ...] = ()


def load_sets(
    half: str, folder: Path | None = None
) -> tuple[dict[str, LabelledSets], dict[str, str]]:
    """Load the sets by half (`all` gives dev and held), and each file's SHA-256.

    A `folder` replaces the packaged sets by those whose files it holds.

    Raises:
        InvalidArgument: unknown half, no set in the folder, or a malformed file.
    """
    found = _files(folder)
    wanted = ("dev", "held") if half == "all" else (half,)
    loaded = {
        each: {name: LOADERS[name](each, path) for name, path in found.items()} for each in wanted
    }
    digests = {name: one.sha256 for name, one in loaded[wanted[0]].items()}
    return {each: _sets(of_half) for each, of_half in loaded.items()}, digests


def _sets(loaded: dict[str, LabelledSet[Any]]) -> LabelledSets:
    return LabelledSets(**{name: one.items for name, one in loaded.items()})


def _files(folder: Path | None) -> dict[str, Path | None]:
    """Return each set's file, None for packaged ones."""
    if folder is None:
        return dict.fromkeys(LOADERS)
    paths = {name: folder / f"{name}.jsonl" for name in LOADERS}
    found: dict[str, Path | None] = {name: path for name, path in paths.items() if path.is_file()}
    if not found:
        known = ", ".join(f"{name}.jsonl" for name in LOADERS)
        raise InvalidArgument(f"data: must be a folder with one of {known}", field="data")
    return found
