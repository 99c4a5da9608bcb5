"""What every step may use: one frozen object, built in one place, handed to graphs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID, uuid5

from reasonloom.contracts.caller import Caller
from reasonloom.llm.port import Embedder, LanguageModel
from reasonloom.prompts.registry import PromptRegistry
from reasonloom.settings import Settings
from reasonloom.stores.database import Database
from reasonloom.stores.runs.runs import Spent


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
class Reservation:
    """One call in flight: what it may cost, and what reading its answer later may."""

    cost: Cost
    again: Cost


@dataclass(slots=True)
class Reservations:
    """What a run's calls in flight may cost, and what is put aside; lives in one process.

    Attributes:
        flying: the calls in flight.
        again: what it takes to read the answers that came, for the call that is to read them.
        dearest: US dollars that a call has cost at most.
        changed: set as soon as anything here has become less.
    """

    flying: list[Reservation] = field(default_factory=list)
    again: Cost = Cost()
    dearest: float = 0.0
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self) -> None:
        """Wake those that wait for room."""
        self.changed.set()
        self.changed = asyncio.Event()


class Journal(Protocol):
    """Takes what may be written after the answer, in batches."""

    def reinforce(self, caller: Caller, memories: list[int]) -> None:
        """Note that these memories were recalled."""
        ...

    async def flush(self) -> bool:
        """Write what waits; False where some of it waits on."""
        ...


@dataclass(frozen=True, slots=True)
class Loom:
    """The parts a step may use; each is what its type says and nothing else.

    `offered` names the tools that this process serves, None where it serves none.
    """

    settings: Settings
    database: Database
    llm: LanguageModel
    embedder: Embedder
    prompts: PromptRegistry
    clock: Callable[[], datetime]
    journal: Journal
    offered: frozenset[str] | None = None

    def offers(self, tool: str) -> bool:
        """Tell whether a tool may be called here; without a server all may."""
        return self.offered is None or tool in self.offered


@dataclass(frozen=True, slots=True)
class CurrentRun:
    """The run that a step belongs to.

    Attributes:
        started: a reading of `time.perf_counter`.
        resumed: True where an earlier process began it, so that recorded replies may exist.
        spent: what its calls of language models have cost so far; the steps add to it.
        ledger: what its calls in flight may cost, see `nodes/runs/budget.py`.
        fork: where it was forked from another run, see `RunRow`.
    """

    id: UUID
    tool: str
    graph: str
    graph_version: int
    input: dict[str, Any]
    started: float
    created_at: datetime
    key: str | None = None
    saved: bool = False
    resumed: bool = False
    spent: Spent = field(default_factory=Spent)
    ledger: Reservations = field(default_factory=Reservations)
    fork: dict[str, Any] | None = None

    def effect(self, node: str, task: str = "0", n: int = 0) -> UUID:
        """Return the name of one effect of this run: the same each time the node runs again."""
        return uuid5(self.id, f"{node}/{task}/{n}")


@dataclass(frozen=True, slots=True)
class Execution:
    """LangGraph's runtime context: the loom, who asks, and the run."""

    loom: Loom
    caller: Caller
    run: CurrentRun
