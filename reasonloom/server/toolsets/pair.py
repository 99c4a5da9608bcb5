"""A pair of memories of which only one seems to hold, and the form that asks the user which."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

REPLACES, RIGHT = "replaces", "right"


@dataclass(frozen=True, slots=True)
class MemoryPair:
    """Two current memories of which only one seems to hold.

    Attributes:
        newer, older: their numbers; `newer` was stored later.
        confidence: how likely it is that one of them no longer holds, 0..1.
        question: the question to the user.
        either: whether either may be the right one, rather than the newer one only.
    """

    newer: int
    older: int
    confidence: float
    question: str = ""
    either: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """The form: whether the newer one replaces the older one, or which one is right."""
        names = [f"mem-{self.newer}", f"mem-{self.older}"]
        field: dict[str, Any] = {"type": "boolean", "title": f"{names[0]} replaces {names[1]}"}
        if self.either:
            field = {"type": "string", "title": "Which one is right", "enum": names}
        name = RIGHT if self.either else REPLACES
        return {"type": "object", "properties": {name: field}, "required": [name]}

    def outdated(self, values: Mapping[str, Any]) -> int | None:
        """Return which memory no longer holds by the values of the form; None if open."""
        if not self.either:
            return self.older if values.get(REPLACES) is True else None
        others = {f"mem-{self.newer}": self.older, f"mem-{self.older}": self.newer}
        right = values.get(RIGHT)
        return others.get(right) if isinstance(right, str) else None


@dataclass(frozen=True, slots=True)
class PairReply:
    """What the user replied: `outdated` is the memory that no longer holds, if any.

    `key` is the idempotency key of the call that the question interrupted.
    """

    pair: MemoryPair
    outdated: int | None
    key: str | None = None
