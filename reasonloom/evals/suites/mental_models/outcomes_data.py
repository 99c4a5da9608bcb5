"""Reads predictions with what was observed, and refuses a set that is not of the stated form."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import Field, model_validator

from reasonloom.errors import InvalidArgument
from reasonloom.evals.suites.mental_models.data import Language
from reasonloom.evals.suites.metacognition.labels import Labelled, Words, of_half, records

HERE = Path(__file__).parent
FILE = "outcomes.jsonl"
Kind = Literal["own words", "other words", "negated", "opposite", "unrelated"]
KINDS: tuple[Kind, ...] = get_args(Kind)
RIGHT: Mapping[Kind, str] = {
    "own words": "held", "other words": "held", "negated": "failed", "opposite": "failed",
    "unrelated": "open",
}  # fmt: skip


class Observed(Labelled):
    """A prediction, what was observed later, and what that says of it."""

    id: Annotated[str, Field(pattern=r"^o\d\d-\d$")]
    language: Language
    prediction: Words
    observation: Words
    kind: Kind
    outcome: Literal["held", "failed", "open"]

    @property
    def label(self) -> str:
        """The outcome."""
        return self.outcome

    @property
    def said(self) -> str:
        """What was observed."""
        return self.observation

    @model_validator(mode="after")
    def _agrees(self) -> Observed:
        if self.outcome != RIGHT[self.kind]:
            raise ValueError(f"outcome: must be {RIGHT[self.kind]} for {self.kind}")
        return self


@dataclass(frozen=True)
class OutcomeSet:
    """Observations in the order of their file, and its SHA-256 in hex."""

    items: tuple[Observed, ...]
    sha256: str


def outcomes(half: str = "dev", folder: Path = HERE) -> OutcomeSet:
    """Return the observations of a half or of `all`; `folder` holds another file of this form.

    Raises:
        InvalidArgument: another half, or a file that is not there or not of this form.
    """
    said, raw = records(FILE, Observed, folder / FILE)
    _require_even(said)
    return OutcomeSet(of_half(half, said), hashlib.sha256(raw).hexdigest())


def _require_even(said: Sequence[Observed]) -> None:
    for name, times in Counter(each.id for each in said).items():
        if times > 1:
            raise InvalidArgument(f"{name!r} is there twice", field="data")
    by_prediction: dict[str, list[Observed]] = {}
    for each in said:
        by_prediction.setdefault(each.prediction, []).append(each)
    for prediction, some in by_prediction.items():
        if len({each.half for each in some}) > 1:
            raise InvalidArgument(f"{prediction!r} is in both halves", field="data")
        if sorted(each.kind for each in some) != sorted(KINDS):
            raise InvalidArgument(f"{prediction!r} has not one of each kind", field="data")
