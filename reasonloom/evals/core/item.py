"""Items, answers, and the scorers that mark them."""

import json
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Protocol

from reasonloom.llm.interfaces import LanguageModel
from reasonloom.prompts.registry import PromptRegistry

DIGEST = 16
"""Hexadecimal digits of an item's digest."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question with its right answer.

    Attributes:
        id: unique within the suite.
        input: a text, or an object with a prompt's variables.
        target: the right answer, None if the scorer needs none.
        cluster: items that depend on each other share it (one document, one author); else empty.
        group: how figures are broken down; defaults to the cluster.
    """

    id: str
    input: Any
    target: Any = None
    cluster: str = ""
    group: str = ""

    @property
    def digest(self) -> str:
        """The item's identity: two runs share an item if their digests are equal."""
        content = json.dumps([self.input, self.target], sort_keys=True, default=str)
        return sha256(content.encode("utf-8", "replace")).hexdigest()[:DIGEST]


@dataclass(frozen=True, slots=True)
class Answer:
    """A system's answer.

    Attributes:
        output: the answer.
        run: id of the engine's run, if any.
        usage: total usage if an earlier, killed process contributed to it; otherwise empty, and the
            attempt's usage counts.
        latency_ms: latency without setup, if setup took part of the time.
    """

    output: Any
    run: str = ""
    usage: Mapping[str, float] = field(default_factory=dict)
    latency_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """A score of 0 to 1, its reason, and further figures by name."""

    score: float
    said: str = ""
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ScoringContext:
    """What scorers may use: prompts, and a language model (None if the run has none)."""

    prompts: PromptRegistry
    llm: LanguageModel | None = None


class Scorer(Protocol):
    """Marks answers."""

    @property
    def name(self) -> str:
        """The name of its score."""

    @property
    def needs_target(self) -> bool:
        """Whether every item must have a target."""

    def about(self) -> dict[str, Any]:
        """Return its description for the run's head."""

    def refuse(self, item: Item) -> str:
        """Return why an item cannot be marked; empty if it can."""

    def mark(
        self, item: Item, output: Any, bench: ScoringContext
    ) -> Mark | Awaitable[Mark | None] | None:
        """Return the mark of an answer, None if the score does not apply to the item."""
