"""The lineage of a run: the nodes it ran and when, and the memories it stored or used."""

from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.saver import thread_of
from reasonloom.stores.statements import load

LONGEST = 160
SQL = load(__file__, longest=LONGEST)
PULLED = "~__pregel_pull, "
"""Prefix of the task path of a node that LangGraph ran by itself; tasks sent to a node in parallel
have numbers instead."""

START = "__start__"


@dataclass(frozen=True, slots=True)
class RunStep:
    """The work between two saved steps: nodes, and the number of tasks sent in parallel."""

    nodes: tuple[str, ...]
    sent: int
    begun: datetime
    ended: datetime

    @property
    def name(self) -> str:
        """A label for the step."""
        tasks = f"{self.sent} tasks at once" if self.sent > 1 else "a task"
        return ", ".join([*self.nodes, *([tasks] if self.sent else [])])


async def steps(tx: Transaction, run_id: UUID) -> list[RunStep]:
    """Return a run's steps in order; none if it saved none or they were deleted."""
    rows = await tx.tuples(SQL.steps, {"thread": thread_of(tx.owner, run_id)})
    found = [
        _step({*results, *tasks}, at, until)
        for (at, _, results), (until, tasks, _) in pairwise(rows)
    ]
    return [step for step in found if step.nodes or step.sent]


def _step(paths: set[str], at: datetime, until: datetime) -> RunStep:
    pulled = {path.removeprefix(PULLED) for path in paths if path.startswith(PULLED)}
    sent = sum(not path.startswith(PULLED) for path in paths)
    return RunStep(tuple(sorted(pulled - {START})), sent, at, until)


class RunMemory(NamedTuple):
    """A memory that a run stored (`made`) or used."""

    id: int
    sector: str
    content: str
    made: bool


async def memories_of_run(tx: Transaction, run_id: UUID) -> list[RunMemory]:
    """Return the memories that a run stored or named in its answer, at most a hundred."""
    return await tx.rows(RunMemory, SQL.memories_of_run, {"run": run_id})
