"""One thought with the calls and memories of its run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reasonloom.stores.database import Transaction
from reasonloom.stores.runs import run_lineage, runs
from reasonloom.stores.runs.run_lineage import RunMemory
from reasonloom.stores.sessions import thoughts
from reasonloom.stores.sessions.thoughts import ThoughtRow


@dataclass(frozen=True, slots=True)
class ThoughtSources:
    """A thought with the calls and memories of its run, which may have several thoughts."""

    thought: ThoughtRow
    calls: Sequence[Mapping[str, Any]]
    memories: Sequence[RunMemory]


async def thought_sources(tx: Transaction, thought_id: object) -> ThoughtSources:
    """Read a thought with its sources.

    Raises:
        ThoughtNotFound: the owner has no such thought.
    """
    row = await thoughts.require(tx, str(thought_id))
    if row.run_id is None:
        return ThoughtSources(row, [], [])
    calls = (await runs.calls_of(tx, [row.run_id]))[row.run_id]
    return ThoughtSources(row, calls, await run_lineage.memories_of_run(tx, row.run_id))
