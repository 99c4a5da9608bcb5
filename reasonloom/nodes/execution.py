"""What every step may use: the parts built once per process, the caller, and the current run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, TypeVar, cast
from uuid import UUID, uuid5

from reasonloom.contracts.base import Request
from reasonloom.contracts.caller import Caller
from reasonloom.llm.interfaces import Embedder, LanguageModel
from reasonloom.prompts.registry import PromptRegistry
from reasonloom.settings import Settings
from reasonloom.stores.database import Database
from reasonloom.stores.runs.outcomes import Outcome
from reasonloom.stores.runs.questions import QuestionRow
from reasonloom.stores.runs.runs import Spent

R = TypeVar("R", bound=Request)

OFFLINE_CONFIDENCE = 0.3
"""The greatest confidence of an answer without a language model."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Calls of a language model, and the tokens of their prompts and answers."""

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
    """One call in flight: its estimated cost, and the cost of reading its answer later.

    `waiting` for its caller's reply, it does not end while the run is at work.
    """

    cost: Cost
    again: Cost
    waiting: bool = False


@dataclass(slots=True)
class Reservations:
    """The cost of a run's calls in flight, and of what is set aside; kept in one process.

    Attributes:
        flying: the calls in flight.
        again: the cost of reading the answers received so far in the call that is to read them.
        dearest: the highest cost of a call so far, in US dollars.
        changed: set when any of this has decreased.
    """

    flying: list[Reservation] = field(default_factory=list)
    again: Cost = Cost()
    dearest: float = 0.0
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def notify(self) -> None:
        """Wake the calls that wait for budget."""
        self.changed.set()
        self.changed = asyncio.Event()


class Journal(Protocol):
    """Takes records that may be written after the answer, in batches."""

    def reinforce(self, caller: Caller, memories: list[int]) -> None:
        """Record that these memories were recalled."""
        ...

    async def flush(self) -> bool:
        """Write what is pending; return False if some of it could not be written yet."""
        ...


@dataclass(frozen=True, slots=True)
class Loom:
    """The parts that a step may use.

    `offered` names the tools that this process serves, None if it serves none. `judge` answers in
    place of `llm` where something is judged, if there is one.
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
        """Return the language model for a question, one that judges or another."""
        return self.judge if judging and self.judge is not None else self.llm

    def offers(self, tool: str) -> bool:
        """Tell whether a tool may be called here; without a server all may."""
        return self.offered is None or tool in self.offered


@dataclass(frozen=True, slots=True)
class CurrentRun:
    """The run that a step belongs to.

    Attributes:
        started: a reading of `time.perf_counter`.
        resumed: True if another process began it, so that recorded replies may exist.
        spent: the cost of its language model calls so far; the steps add to it.
        ledger: the cost of its calls in flight, see `nodes/runs/budget.py`.
        fork: where it was forked from another run, see `RunRow`.
        requests: `input` as `Execution.request` has validated it.
        limits: time limits of tasks at work that one which has ended may shorten.
        seconds: its own time limit, where it may take longer than `REASONLOOM_TOOL_TIMEOUT`.
        rounds: how often it has asked its caller before.
        questions: what it asks its caller now.
        notes: on the answer, from completing the run.
        outcomes: those reported of its tool when it began, by the tool; empty if not read.
        self_judged: True where its caller judged what it wrote itself, False where it let somebody
            else do so, None where nothing was judged so far.
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
    outcomes: dict[str, list[Outcome]] = field(default_factory=dict)
    self_judged: bool | None = None

    @property
    def retries(self) -> bool:
        """Whether calls that failed are made again: it was resumed, not answered by its caller."""
        return self.resumed and not self.rounds

    def effect(self, node: str, task: str = "0", n: int = 0) -> UUID:
        """Return the id of one effect of this run, the same each time the node runs."""
        return uuid5(self.id, f"{node}/{task}/{n}")


@dataclass(frozen=True, slots=True)
class Execution:
    """LangGraph's runtime context: the loom, the caller, and the run."""

    loom: Loom
    caller: Caller
    run: CurrentRun

    @property
    def seconds(self) -> float:
        """The run's time limit."""
        return max(self.loom.settings.tool_timeout, self.run.seconds)

    def capped(self, confidence: float) -> float:
        """Return a confidence, lower where whoever thought it also judged it, or nobody did."""
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
