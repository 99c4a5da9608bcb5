"""The runtime context of every node: shared services, the caller, and the current run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, TypeVar, cast
from uuid import UUID, uuid5

from reasonloom.contracts.base import Request
from reasonloom.contracts.caller import Caller
from reasonloom.llm.interfaces import Embedder, LanguageModel
from reasonloom.prompts.registry import PromptRegistry
from reasonloom.settings import Settings
from reasonloom.stores.database import Database, Transaction
from reasonloom.stores.runs.outcomes import Outcome
from reasonloom.stores.runs.questions import QuestionRow
from reasonloom.stores.runs.runs import Spent

R = TypeVar("R", bound=Request)

OFFLINE_CONFIDENCE = 0.3
"""Maximum confidence of an answer without a language model."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Number of language model calls, and the tokens of their prompts and replies."""

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
    """A call in flight: its estimated cost, and the cost of reading its reply in a later call.

    A `waiting` call needs its caller's reply, so it cannot finish while the run is executing.
    """

    cost: Cost
    again: Cost
    waiting: bool = False


@dataclass(slots=True)
class Reservations:
    """The budget reserved for a run's calls in flight and later ones; local to the process.

    Attributes:
        flying: the calls in flight.
        again: the cost of reading the replies received so far in a later call.
        dearest: the highest cost of a call so far, in US dollars.
        changed: set when a reservation has decreased.
    """

    flying: list[Reservation] = field(default_factory=list)
    again: Cost = Cost()
    dearest: float = 0.0
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def notify(self) -> None:
        """Wake the calls that are waiting for budget."""
        self.changed.set()
        self.changed = asyncio.Event()


class Journal(Protocol):
    """Buffers records that may be written in batches after the answer is returned."""

    def reinforce(self, caller: Caller, memories: list[int]) -> None:
        """Record that these memories were recalled."""
        ...

    async def flush(self) -> bool:
        """Write the pending records; return False if some could not be written yet."""
        ...


@dataclass(frozen=True, slots=True)
class Loom:
    """The services that a node may use, built once per process.

    `offered` names the tools that this process serves, None if it serves none. `judge`, if set,
    answers judging questions in place of `llm`.
    """

    settings: Settings
    database: Database
    llm: LanguageModel
    embedder: Embedder
    prompts: PromptRegistry
    clock: Callable[[], datetime]
    journal: Journal
    offered: frozenset[str] | None = None
    judge: LanguageModel | None = None

    def llm_for(self, *, judging: bool) -> LanguageModel:
        """Return the language model for a question, which may be a judging one."""
        return self.judge if judging and self.judge is not None else self.llm

    def offers(self, tool: str) -> bool:
        """Return whether a tool may be called here; without a server all may."""
        return self.offered is None or tool in self.offered


@dataclass(frozen=True, slots=True)
class CurrentRun:
    """The run that a node belongs to.

    Attributes:
        started: a reading of `time.perf_counter`.
        resumed: True if another process started it, so recorded replies may exist.
        spent: the cost of its language model calls so far; the nodes add to it.
        ledger: the cost of its calls in flight, see `nodes/runs/budget.py`.
        fork: where it was forked from another run, see `RunRow`.
        requests: `input` as validated by `Execution.request`, by request type.
        limits: time limits of running tasks, which a finished task may shorten.
        seconds: its own time limit, if longer than `REASONLOOM_TOOL_TIMEOUT`.
        rounds: how many times it has already asked its caller.
        questions: the pending questions to its caller.
        notes: notes on the answer, added on completion.
        hosts: the spaces of other owners that it has read; its answer is then not recorded, as
            the caller may lose the right to read it.
        outcomes: the outcomes reported of its tool before it started, by tool; empty if not read.
        self_judged: True if its caller judged its own output, False if it had someone else judge
            it, None if its caller has judged nothing so far.
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
    requests: dict[type[Request], Request] = field(default_factory=dict)
    limits: set[asyncio.Timeout] = field(default_factory=set)
    seconds: float = 0.0
    rounds: int = 0
    questions: list[QuestionRow] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)
    outcomes: dict[str, list[Outcome]] = field(default_factory=dict)
    self_judged: bool | None = None

    @property
    def retries(self) -> bool:
        """Whether failed calls are retried: it was resumed, but not by a reply of its caller."""
        return self.resumed and not self.rounds

    def effect(self, node: str, task: str = "0", n: int = 0) -> UUID:
        """Return the deterministic id of one effect of this run, the same if the node reruns."""
        return uuid5(self.id, f"{node}/{task}/{n}")


@dataclass(frozen=True, slots=True)
class Execution:
    """LangGraph's runtime context: the loom, the caller and the run."""

    loom: Loom
    caller: Caller
    run: CurrentRun

    @property
    def seconds(self) -> float:
        """The run's time limit in seconds."""
        return max(self.loom.settings.tool_timeout, self.run.seconds)

    def capped(self, confidence: float) -> float:
        """Return `confidence`, capped if the run is offline or its output was self-judged."""
        if self.loom.llm.offline:
            return min(confidence, OFFLINE_CONFIDENCE)
        most = self.loom.settings.self_judged_confidence if self.run.self_judged else 1.0
        return min(confidence, most)

    def request(self, kind: type[R]) -> R:
        """Return the run's request, validated once per process."""
        requests = self.run.requests
        if kind not in requests:
            requests[kind] = kind.model_validate(self.run.input)
        return cast("R", requests[kind])


def searching(
    execution: Execution, *, once: bool = False
) -> AbstractAsyncContextManager[Transaction]:
    """Open a transaction of the caller that only searches; the read replica may answer it.

    A run with saved steps searches the primary: if the replica failed, it could not begin again.
    """
    return execution.loom.database.begin(
        execution.caller, searching=True, once=once, reads=not execution.run.saved
    )
