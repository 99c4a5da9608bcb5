"""Hides what is weak, old and unread at once; never what is fresh or important."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.memory.extras import Pruned, PrunedMemory, PruneMemories
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.maintenance.summaries import fields_of
from reasonloom.nodes.runs.complete_run import finish
from reasonloom.nodes.state import ToolState
from reasonloom.stores.memory import statistics
from reasonloom.stores.memory.statistics import Faded, Summary


async def prune_memories(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Tell which memories may go, and hide them where it is no dry run."""
    execution = runtime.context
    request = PruneMemories.model_validate(state["request"])
    at = execution.loom.clock()
    faded = Faded(
        strength=request.max_strength,
        before=at - timedelta(days=request.min_age_days),
        accesses=request.max_access_count,
        sector=request.primary_sector,
    )
    if not request.dry_run:
        await execution.loom.journal.flush()  # what was read a moment ago counts as read
    async with execution.loom.database.begin(execution.caller) as tx:
        found, matching = await statistics.prunable(tx, faded, size=request.limit)
        gone = {summary.id for summary in found}
        if not request.dry_run:
            gone = await statistics.prune(tx, faded, sorted(gone), at)
        answer = Pruned(
            memories=[_shown(summary) for summary in found if summary.id in gone],
            pruned=0 if request.dry_run else len(gone),
            matching=matching,
            dry_run=request.dry_run,
        )
        return await finish(tx, execution, answer, notes=_notes(request, matching, len(found)))


def _shown(summary: Summary) -> PrunedMemory:
    return PrunedMemory(
        **fields_of(summary), importance=summary.importance, access_count=summary.access_count
    )


def _notes(request: PruneMemories, matching: int, shown: int) -> list[str]:
    notes = []
    if matching > shown:
        notes.append(f"{matching} match; this call is limited to {request.limit}")
    if request.dry_run and matching:
        notes.append("nothing was changed; call again with dryRun false to hide these")
    return notes
