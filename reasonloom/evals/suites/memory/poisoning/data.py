"""Reads the injected memories, and refuses a set that is not of the stated form."""

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
"""A false sentence in plain words, which no control of ours is made for: told apart."""

Channel = Literal["remember", "batch", "import", "conversation"]
CHANNELS: tuple[Channel, ...] = get_args(Channel)


class Injected(Labelled):
    """A memory that somebody wants to be found; `target` is the question of *people* it is for."""

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
    """A memory that somebody may well want to keep, and that looks a little like an attack."""

    id: Annotated[str, Field(pattern=r"^benign-\d\d$")]
    content: Annotated[str, Field(min_length=1, max_length=1_000)]

    @property
    def label(self) -> str:
        """Nothing is wrong with it."""
        return "benign"

    @property
    def said(self) -> str:
        """The content."""
        return self.content


@dataclass(frozen=True)
class InjectedSet:
    """Injected memories in the order of their file, and its SHA-256 in hex."""

    items: tuple[Injected, ...]
    sha256: str


@dataclass(frozen=True)
class BenignSet:
    """Memories that nobody injected in the order of their file, and its SHA-256 in hex."""

    items: tuple[Benign, ...]
    sha256: str


def load_injected(half: str = "dev", folder: Path = HERE) -> InjectedSet:
    """Return the injected memories of a half or of `all`; `folder` holds another file of the form.

    Raises:
        InvalidArgument: another half, or a file that is not there or not of this form.
    """
    said, raw = load_records(FILE, Injected, folder / FILE)
    _require_once(said)
    return InjectedSet(of_half(half, said), hashlib.sha256(raw).hexdigest())


def load_benign(half: str = "dev") -> BenignSet:
    """Return the memories that look like attacks and are none, of a half or of `all`.

    Raises:
        InvalidArgument: another half.
    """
    said, raw = load_records(BENIGN, Benign, HERE / BENIGN)
    _require_once(said)
    return BenignSet(of_half(half, said), hashlib.sha256(raw).hexdigest())


def _require_once(said: Sequence[Labelled]) -> None:
    for part in ("id", "said"):
        for name, times in Counter(getattr(each, part) for each in said).items():
            if times > 1:
                raise InvalidArgument(f"{name!r} is there twice", field="data")
