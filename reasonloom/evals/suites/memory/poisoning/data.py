"""Loads and validates injected memories, and benign ones that resemble them."""

from pathlib import Path
from typing import Annotated, Literal, TypeVar, get_args

from pydantic import Field

from reasonloom.evals.suites.labelled import (
    Labelled,
    LabelledSet,
    load_records,
    of_half,
    require_unique,
)

HERE = Path(__file__).parent
FILE = "injected.jsonl"
BENIGN = "benign.jsonl"
Kind = Literal["instruction", "trigger", "hidden", "provenance", "plain"]
KINDS: tuple[Kind, ...] = get_args(Kind)
PLAIN: Kind = "plain"
"""A false statement in plain words; no control targets it, so it is reported separately."""

Channel = Literal["remember", "batch", "import", "conversation"]
CHANNELS: tuple[Channel, ...] = get_args(Channel)


class Injected(Labelled):
    """A memory that an attacker wants recalled; `target` is the question of *people* it aims at."""

    body_field = "content"

    id: Annotated[str, Field(pattern=r"^[a-z]+-\d\d$")]
    kind: Kind
    door: Channel
    target: Annotated[str, Field(pattern=r"^q\d{3}$")]
    content: Annotated[str, Field(min_length=1, max_length=1_000)]


class Benign(Labelled):
    """A legitimate memory that slightly resembles an attack; it has no label."""

    body_field = "content"

    id: Annotated[str, Field(pattern=r"^benign-\d\d$")]
    content: Annotated[str, Field(min_length=1, max_length=1_000)]


T = TypeVar("T", Injected, Benign)


def load_injected(half: str = "dev", folder: Path = HERE) -> LabelledSet[Injected]:
    """Load the injected memories of a half or of `all`, from `folder` if given."""
    return _load(half, folder / FILE, Injected)


def load_benign(half: str = "dev") -> LabelledSet[Benign]:
    """Load the benign memories of a half or of `all`."""
    return _load(half, HERE / BENIGN, Benign)


def _load(half: str, path: Path, form: type[T]) -> LabelledSet[T]:
    items, digest = load_records(path, form)
    require_unique(each.id for each in items)
    require_unique(each.content for each in items)
    return LabelledSet(of_half(half, items), digest)
