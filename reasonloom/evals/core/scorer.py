"""What a scorer is: it gives an answer a mark, and says of itself what it is."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from reasonloom.evals.core.item import Item
    from reasonloom.llm.port import LanguageModel
    from reasonloom.prompts.registry import PromptRegistry


@dataclass(frozen=True, slots=True)
class Mark:
    """A score of 0 to 1, why, and further figures by name."""

    score: float
    said: str = ""
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Bench:
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

    def mark(self, item: Item, output: Any, bench: Bench) -> Mark | Awaitable[Mark | None] | None:
        """Return the mark of an answer, None where the score says nothing of such items."""
        ...
