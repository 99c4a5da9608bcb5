"""What is asked of a system, and what it answers."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from reasonloom.llm.port import LanguageModel
    from reasonloom.prompts.registry import PromptRegistry


DIGEST = 16
"""Hexadecimal digits of an item's digest."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question with its right answer.

    Attributes:
        id: its name within the suite, unlike all others.
        input: what the system is asked: a text, or an object with the values of a prompt.
        target: the right answer, None where the scorer needs none.
        cluster: what it hangs together with (one document, one author); empty for nothing.
        group: what figures are told apart by; its cluster where empty.
    """

    id: str
    input: Any
    target: Any = None
    cluster: str = ""
    group: str = ""

    @property
    def digest(self) -> str:
        """The item's identity: two runs have an item in common where this is the same."""
        told = json.dumps([self.input, self.target], sort_keys=True, default=str)
        return sha256(told.encode("utf-8", "replace")).hexdigest()[:DIGEST]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system answered.

    Attributes:
        output: the answer.
        run: the id of the engine's run, where there is one.
        usage: all that it took, where a killed process had a share in it; else the run knows.
        latency_ms: what the answer alone took, where something was made ready before it.
    """

    output: Any
    run: str = ""
    usage: Mapping[str, float] = field(default_factory=dict)
    latency_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """A score of 0 to 1, why, and further figures by name."""

    score: float
    said: str = ""
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ScoringContext:
    """What a scorer may use: prompts, and a language model (None where a run has none)."""

    prompts: PromptRegistry
    llm: LanguageModel | None = None


class Scorer(Protocol):
    """Marks answers; `needs_target` is true where an item must say what is right."""

    @property
    def name(self) -> str:
        """What its score is called."""
        ...

    @property
    def needs_target(self) -> bool:
        """Whether every item must have a target."""
        ...

    def about(self) -> dict[str, Any]:
        """Return what it is, as the head of a run records it."""
        ...

    def refuse(self, item: Item) -> str:
        """Return why an item cannot be marked, empty where it can be."""
        ...

    def mark(
        self, item: Item, output: Any, bench: ScoringContext
    ) -> Mark | Awaitable[Mark | None] | None:
        """Return the mark of an answer, None where the score says nothing of such items."""
        ...
