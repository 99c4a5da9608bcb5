"""Tool calls, their outcomes, and the progress reported in between.

Progress always increases, as MCP requires: it counts finished steps. Tasks that start together
are reported once, under their step's name.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.graph import Graph
from reasonloom.nodes.execution import CurrentRun
from reasonloom.stores.runs.questions import QuestionRow


@dataclass(frozen=True, slots=True)
class Step:
    """A run's progress: finished steps, the total if known, and the name of the current step."""

    run_id: UUID
    ended: int
    total: int | None
    name: str


Report = Callable[[Step], Awaitable[None]]

PART = "{step}, {done} of {count} done"


class Progress:
    """The progress of one execution of a graph."""

    def __init__(self, graph: Graph, run: CurrentRun, report: Report, nodes: int) -> None:
        more = graph.more_steps(run.input) if graph.more_steps else 0
        self._graph = graph
        self._run_id = run.id
        self._report = report
        self._total = None if more is None else nodes + more
        self._begun = self._ended = 0
        self._together = 0

    async def begin(self, node: str) -> None:
        """Record that a task of a node has started."""
        if self._begun == self._ended:
            self._together = 0
            await self._send(self._graph.describe(node))
        self._begun += 1
        self._together += 1

    async def end(self, node: str) -> None:
        """Record that a task of a node has ended."""
        self._ended += 1
        if left := self._begun - self._ended:
            step, done = self._graph.describe(node), self._together - left
            await self._send(PART.format(step=step, done=done, count=self._together))

    def settle(self) -> None:
        """Record that all tasks have ended; those finished before a kill report no end."""
        self._ended = self._begun

    async def _send(self, step: str) -> None:
        total = None if self._total is None else max(self._total, self._begun, self._ended + 1)
        await self._report(Step(self._run_id, self._ended, total, step))


def offset_report(report: Report, steps: int) -> Report:
    """Return a report that continues the count after `steps` earlier steps."""

    async def on(step: Step) -> None:
        total = step.total and steps + step.total
        await report(replace(step, ended=steps + step.ended, total=total))

    return on


async def no_report(step: Step) -> None:
    """Report nothing."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool: the request, the caller, and how to report progress.

    `key` is the caller's idempotency key: repeating it returns the same run's answer. `offered`
    names the tools offered to the caller, None for all that the process serves. With
    `asks_caller` the caller acts as the run's language model.
    """

    tool: str
    graph: Graph
    request: dict[str, Any]
    caller: Caller
    key: str | None = None
    report: Report = no_report
    offered: frozenset[str] | None = None
    asks_caller: bool = False


@dataclass(frozen=True, slots=True)
class Round:
    """The open questions of a waiting run.

    `at_most` is the number of rounds of a typical run, None if unknown. `misfits` maps questions
    to the errors of rejected replies; `notes` explain how other replies were handled.
    """

    tool: str
    number: int
    at_most: int | None
    questions: list[QuestionRow]
    misfits: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a run: the answer under its wire names, and notes.

    `round` is set while the run waits for its caller and has no answer yet. For `self_judged` see
    `CurrentRun`.
    """

    run_id: UUID
    answer: dict[str, Any]
    notes: list[str]
    round: Round | None = None
    self_judged: bool | None = None
