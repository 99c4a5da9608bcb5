"""One call of a tool and what it gave, as the engine takes and returns them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.graph import Graph
    from reasonloom.graphs.runs.call import Report, Step


async def silent(step: Step) -> None:
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
    report: Report = silent
    offered: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run gave: the answer under its wire names, and what must be said beside it."""

    run_id: UUID
    answer: dict[str, Any]
    notes: list[str]
