"""Tells of a run's steps as they begin, and of tasks at the same time as each of them ends.

What is told always grows, as MCP demands of progress: the steps ended so far. Tasks that begin
together are told of once, by their step's name.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.graph import Graph
    from reasonloom.nodes.loom import CurrentRun


@dataclass(frozen=True, slots=True)
class Step:
    """A run's steps that have ended, all there are where that is known, and the one at work."""

    run_id: UUID
    ended: int
    total: int | None
    name: str


Report = Callable[[Step], Awaitable[None]]

PART = "{step}, {done} of {count} done"


class Progress:
    """The progress of one walk through a graph."""

    def __init__(self, graph: Graph, run: CurrentRun, report: Report, nodes: int) -> None:
        more = graph.more_steps(run.input) if graph.more_steps else 0
        self._graph = graph
        self._run_id = run.id
        self._report = report
        self._total = None if more is None else nodes + more
        self._begun = self._ended = 0
        self._together = 0

    async def begin(self, node: str) -> None:
        """Note that a task of a node begins."""
        if self._begun == self._ended:
            self._together = 0
            await self._tell(self._graph.describe(node))
        self._begun += 1
        self._together += 1

    async def end(self, node: str) -> None:
        """Note that a task of a node has ended."""
        self._ended += 1
        if left := self._begun - self._ended:
            step, done = self._graph.describe(node), self._together - left
            await self._tell(PART.format(step=step, done=done, count=self._together))

    def settle(self) -> None:
        """Note that all tasks have ended; those done before a kill do not end again."""
        self._ended = self._begun

    async def _tell(self, step: str) -> None:
        total = None if self._total is None else max(self._total, self._begun, self._ended + 1)
        await self._report(Step(self._run_id, self._ended, total, step))


def offset_report(report: Report, steps: int) -> Report:
    """Return a report whose steps count on from those before."""

    async def on(step: Step) -> None:
        total = step.total and steps + step.total
        await report(replace(step, ended=steps + step.ended, total=total))

    return on


async def no_report(step: Step) -> None:
    """Report nothing."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool: what is asked, by whom, and how to tell of its progress.

    `key` is the caller's idempotency key: the same key again gives the same run's answer.
    `offered` names the tools that the caller was offered, None for all that the process serves.
    """

    tool: str
    graph: Graph
    request: dict[str, Any]
    caller: Caller
    key: str | None = None
    report: Report = no_report
    offered: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run gave: the answer under its wire names, and what must be said beside it."""

    run_id: UUID
    answer: dict[str, Any]
    notes: list[str]
