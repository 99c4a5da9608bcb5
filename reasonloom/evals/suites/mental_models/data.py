"""Reads triggers with their messages, and refuses a set that is not of the stated form."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import Field, model_validator

from reasonloom.errors import InvalidArgument
from reasonloom.evals.suites.metacognition.labels import Labelled, Words, of_half, records

HERE = Path(__file__).parent

Kind = Literal["other words", "own words", "same words", "near", "apart"]
Language = Literal["en", "de", "fr", "es", "ru", "ja"]
KINDS: tuple[Kind, ...] = get_args(Kind)
FIRING: tuple[Kind, ...] = ("other words", "own words")
"""The kinds on which a trigger is to fire."""


class Trigger(Labelled):
    """A trigger as a template has it."""

    id: Annotated[str, Field(pattern=r"^t\d\d$")]
    language: Language
    text: Words

    @property
    def label(self) -> str:
        """The language."""
        return self.language

    @property
    def said(self) -> str:
        """The text."""
        return self.text


class Message(Labelled):
    """A message, and whether its trigger is to fire on it."""

    id: Annotated[str, Field(pattern=r"^t\d\d-m\d$")]
    language: Language
    trigger: Annotated[str, Field(pattern=r"^t\d\d$")]
    kind: Kind
    fires: bool
    text: Words

    @property
    def label(self) -> str:
        """The kind."""
        return self.kind

    @property
    def said(self) -> str:
        """The text."""
        return self.text

    @model_validator(mode="after")
    def _agrees(self) -> Message:
        if self.fires is not (self.kind in FIRING):
            raise ValueError(f"fires: must not be {self.fires} for {self.kind}")
        return self


@dataclass(frozen=True)
class Triggered:
    """A trigger and its messages."""

    trigger: Trigger
    messages: tuple[Message, ...]


@dataclass(frozen=True)
class TriggerSet:
    """Triggers in the order of their file, and the SHA-256 of both files in hex, by name."""

    items: tuple[Triggered, ...]
    sha256: dict[str, str]


def triggers(half: str = "dev", folder: Path = HERE) -> TriggerSet:
    """Return the triggers of a half or of `all`; `folder` holds other files of this form.

    Raises:
        InvalidArgument: another half, or a file that is not there or not of this form.
    """
    asked, first = records("triggers.jsonl", Trigger, folder / "triggers.jsonl")
    said, second = records("messages.jsonl", Message, folder / "messages.jsonl")
    _require_once(asked, said)
    _require_even(asked, said)
    raw = {"triggers.jsonl": first, "messages.jsonl": second}
    return TriggerSet(
        tuple(
            Triggered(each, tuple(one for one in said if one.trigger == each.id))
            for each in of_half(half, asked)
        ),
        {name: hashlib.sha256(each).hexdigest() for name, each in raw.items()},
    )


def _require_once(asked: Sequence[Trigger], said: Sequence[Message]) -> None:
    for value, times in Counter(
        value for item in (*asked, *said) for value in (item.id, item.said.casefold())
    ).items():
        if times > 1:
            raise InvalidArgument(f"{value!r} is there twice", field="data")


def _require_even(asked: Sequence[Trigger], said: Sequence[Message]) -> None:
    halves = {each.id: each.half for each in asked}
    for message in said:
        if halves.get(message.trigger) != message.half:
            raise InvalidArgument(f"{message.id}: its trigger is in another half", field="data")
    for each in asked:
        kinds = Counter(one.kind for one in said if one.trigger == each.id)
        if kinds != {**dict.fromkeys(KINDS, 1), "other words": 2}:
            raise InvalidArgument(f"{each.id}: has {dict(kinds)}", field="data")
