"""Reads the labelled biases and the pairs, and refuses a set whose form is not what it says."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeVar, get_args

from pydantic import BeforeValidator, Field, model_validator

from reasonloom.errors import InvalidArgument
from reasonloom.evals.suites.metacognition.labels import (
    Half,
    Labelled,
    LabelledSet,
    Words,
    of_half,
    records,
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
"""How far the lengths of a pair may lie apart, as a share of the sound one's."""


def _known(fault: object) -> object:
    if str(fault).partition(": ")[0] not in FAULTS:
        raise ValueError(f"must begin with one of {', '.join(FAULTS)} and a colon")
    return fault


class BiasText(Labelled):
    """A text, its bias, and the words in it that show the bias; `none` has no such words."""

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
    """The same reasoning without and with one planted fault; `evidence` is given with both."""

    sound: Words
    flawed: Words
    fault: Annotated[Words, BeforeValidator(_known)]
    evidence: Annotated[list[Words], Field(min_length=1)] | None = None

    @property
    def label(self) -> str:
        """What kind of fault was planted; the rest of `fault` says what it is here."""
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


def biases(half: str = "dev", path: Path | None = None) -> LabelledSet[BiasText]:
    """Return the labelled biases of a half or of `all`; `path` is another file of this form.

    Raises:
        InvalidArgument: another half, or a file that is not there or not of this form.
    """
    items, raw = records("biases.jsonl", BiasText, path)
    _require_once("biases.jsonl", (text for item in items for text in (item.id, item.text)))
    _require_even("biases.jsonl", items, BIASES)
    return LabelledSet(of_half(half, items), hashlib.sha256(raw).hexdigest())


def pairs(half: str = "dev", path: Path | None = None) -> LabelledSet[Pair]:
    """Return the pairs of a half or of `all`; `path` is another file of this form.

    Raises:
        InvalidArgument: another half, or a file that is not there or not of this form.
    """
    items, raw = records("pairs.jsonl", Pair, path)
    told = (text for item in items for text in (item.id, item.sound, item.flawed))
    _require_once("pairs.jsonl", told)
    _require_even("pairs.jsonl", items, FAULTS)
    return LabelledSet(of_half(half, items), hashlib.sha256(raw).hexdigest())


def _require_once(name: str, texts: Iterable[str]) -> None:
    for text, times in Counter(text.casefold() for text in texts).items():
        if times > 1:
            raise InvalidArgument(f"{name}: {text!r} is there twice", field="data")


def _require_even(name: str, items: Sequence[Labelled], labels: Sequence[str]) -> None:
    """Refuse a set in which some label is absent or has more in one half than in the other."""
    counted = Counter((item.label, item.half) for item in items)
    for label in labels:
        dev, held = (counted[label, half] for half in get_args(Half))
        if dev != held or not dev:
            told = f"{label} has {dev} in dev and {held} in held; the halves must be equal"
            raise InvalidArgument(f"{name}: {told}", field="data")
