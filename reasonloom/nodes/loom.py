"""What every step may use: one frozen object, built in one place, handed to graphs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID, uuid5

from reasonloom.contracts.caller import Caller
from reasonloom.llm.port import Embedder, LanguageModel
from reasonloom.nodes.ledger import Ledger
from reasonloom.prompts.registry import PromptRegistry
from reasonloom.settings import Settings
from reasonloom.stores.database import Database
from reasonloom.stores.runs.runs import Spent


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
class RunBegun:
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
    ledger: Ledger = field(default_factory=Ledger)
    fork: dict[str, Any] | None = None

    def effect(self, node: str, task: str = "0", n: int = 0) -> UUID:
        """Return the name of one effect of this run: the same each time the node runs again."""
        return uuid5(self.id, f"{node}/{task}/{n}")


@dataclass(frozen=True, slots=True)
class Execution:
    """LangGraph's runtime context: the loom, who asks, and the run."""

    loom: Loom
    caller: Caller
    run: RunBegun
