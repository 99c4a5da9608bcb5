"""What a run's calls in flight may cost, and what is put aside, for `nodes/runs/budget.py`."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Cost:
    """Calls of a language model, and tokens of their prompts and of their answers."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def __add__(self, other: Cost) -> Cost:
        """Return the sum of both."""
        return Cost(
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
        )


@dataclass(slots=True, eq=False)
class Hold:
    """One call in flight: what it may cost, and what reading its answer later may."""

    cost: Cost
    again: Cost


@dataclass(slots=True)
class Ledger:
    """What a run's calls in flight may cost, and what is put aside; lives in one process.

    Attributes:
        flying: the calls in flight.
        again: what it takes to read the answers that came, for the call that is to read them.
        dearest: US dollars that a call has cost at most.
        changed: set as soon as anything here has become less.
    """

    flying: list[Hold] = field(default_factory=list)
    again: Cost = Cost()
    dearest: float = 0.0
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self) -> None:
        """Wake those that wait for room."""
        self.changed.set()
        self.changed = asyncio.Event()
