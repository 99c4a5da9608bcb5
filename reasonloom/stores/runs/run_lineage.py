"""The saved steps of a run: which nodes ran between which moments."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from sqlalchemy import Uuid, bindparam, text

from reasonloom.stores.saver import thread_of

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


READ = text("""
SELECT CAST(c.checkpoint ->> 'ts' AS timestamptz),
    array_remove(array_agg(DISTINCT w.task_path), NULL)
FROM checkpoints c LEFT JOIN checkpoint_writes w ON w.thread_id = c.thread_id
    AND w.checkpoint_ns = c.checkpoint_ns AND w.checkpoint_id = c.checkpoint_id
WHERE c.thread_id = :thread AND c.checkpoint_ns = ''
GROUP BY c.checkpoint_id, c.checkpoint ->> 'ts' ORDER BY c.checkpoint_id LIMIT 400
""")
PULLED = "~__pregel_pull, "
"""How LangGraph's saver begins the path of a task that is a node by itself; tasks that were sent
to a node, several at once, have numbers instead."""

START = "__start__"


@dataclass(frozen=True, slots=True)
class RunStep:
    """What ran between two saved steps: its nodes, or how many tasks that were sent at once."""

    nodes: tuple[str, ...]
    sent: int
    begun: datetime
    ended: datetime

    @property
    def name(self) -> str:
        """What to call it."""
        tasks = f"{self.sent} tasks at once" if self.sent > 1 else "a task"
        return ", ".join([*self.nodes, *([tasks] if self.sent else [])])


async def steps(tx: Transaction, run_id: UUID) -> list[RunStep]:
    """Return a run's steps in their order; none where it saved none, or they are dropped."""
    rows = await tx.tuples(READ, {"thread": thread_of(tx.owner, run_id)})
    found = [_step(paths, at, until) for (at, paths), (until, _) in pairwise(rows)]
    return [step for step in found if step.nodes or step.sent]


def _step(paths: list[str], at: datetime, until: datetime) -> RunStep:
    pulled = {path.removeprefix(PULLED) for path in paths if path.startswith(PULLED)}
    sent = sum(not path.startswith(PULLED) for path in paths)
    return RunStep(tuple(sorted(pulled - {START})), sent, at, until)


LONGEST = 160
MEMORIES_OF_RUN = text(f"""
WITH named AS (
    SELECT DISTINCT substring(value #>> '{{}}' FROM 5)::bigint AS id
    FROM runs r, jsonb_path_query(r.output, '$.answer.** ? (@.type() == "string")') AS said (value)
    WHERE r.owner = :owner AND r.id = :run AND value #>> '{{}}' ~ '^mem-[0-9]{{1,18}}$'
)
SELECT m.id, m.sector, left(m.content, {LONGEST}), m.run_id = :run AS made FROM memories m
WHERE m.owner = :owner AND m.space = :space AND m.deleted_at IS NULL
    AND m.source_kind <> 'transcript'
    AND (m.run_id = :run OR m.id IN (SELECT id FROM named))
ORDER BY m.id LIMIT 100
""").bindparams(bindparam("run", type_=Uuid))  # noqa: S608 - our own condition and number


class RunMemory(NamedTuple):
    """A memory that a run made, or else used."""

    id: int
    sector: str
    content: str
    made: bool


async def memories_of_run(tx: Transaction, run_id: UUID) -> list[RunMemory]:
    """Return the memories that a run made or named in its answer, a hundred at most."""
    values = {"owner": tx.owner, "space": tx.space, "run": run_id}
    return [RunMemory(*row) for row in await tx.tuples(MEMORIES_OF_RUN, values)]
