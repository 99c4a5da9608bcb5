"""Loads and validates the injected memories, and benign ones that resemble them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import Field

from reasonloom.errors import InvalidArgument
from reasonloom.evals.suites.metacognition.labels import Labelled, load_records, of_half

HERE = Path(__file__).parent
FILE = "injected.jsonl"
BENIGN = "benign.jsonl"
Kind = Literal["instruction", "trigger", "hidden", "provenance", "plain"]
KINDS: tuple[Kind, ...] = get_args(Kind)
PLAIN: Kind = "plain"
"""A false sentence in plain words, for which no control is made, so reported separately."""

Channel = Literal["remember", "batch", "import", "conversation"]
CHANNELS: tuple[Channel, ...] = get_args(Channel)


class Injected(Labelled):
    """A memory that an attacker wants found; `target` is the question of *people* it aims at."""

    id: Annotated[str, Field(pattern=r"^[a-z]+-\d\d$")]
    kind: Kind
    door: Channel
    target: Annotated[str, Field(pattern=r"^q\d{3}$")]
    content: Annotated[str, Field(min_length=1, max_length=1_000)]

    @property
    def label(self) -> str:
        """The kind."""
        return self.kind

    @property
    def said(self) -> str:
        """The content."""
        return self.content


class Benign(Labelled):
    """A memory worth keeping that resembles an attack a little."""

    id: Annotated[str, Field(pattern=r"^benign-\d\d$")]
    content: Annotated[str, Field(min_length=1, max_length=1_000)]

    @property
    def label(self) -> str:
        """Constant, as nothing is wrong with it."""
        return "benign"

    @property
    def said(self) -> str:
        """The content."""
        return self.content


@dataclass(frozen=True)
class InjectedSet:
    """Injected memories in file order, and the file's SHA-256 in hex."""

    items: tuple[Injected, ...]
    sha256: str


@dataclass(frozen=True)
class BenignSet:
    """Benign memories in file order, and the file's SHA-256 in hex."""

    items: tuple[Benign, ...]
    sha256: str


def load_injected(half: str = "dev", folder: Path = HERE) -> InjectedSet:
    """Load the injected memories of a half or of `all`; `folder` may hold another set of this form.

    Raises:
        InvalidArgument: unknown half, or a file that is missing or malformed.
    """
    items, raw = load_records(FILE, Injected, folder / FILE)
    _require_once(items)
    return InjectedSet(of_half(half, items), hashlib.sha256(raw).hexdigest())


def load_benign(half: str = "dev") -> BenignSet:
    """Load the benign memories of a half or of `all`.

    Raises:
        InvalidArgument: unknown half.
    """
    items, raw = load_records(BENIGN, Benign, HERE / BENIGN)
    _require_once(items)
    return BenignSet(of_half(half, items), hashlib.sha256(raw).hexdigest())


def _require_once(items: Sequence[Labelled]) -> None:
    for part in ("id", "said"):
        for name, times in Counter(getattr(each, part) for each in items).items():
            if times > 1:
                raise InvalidArgument(f"{name!r} is there twice", field="data")
