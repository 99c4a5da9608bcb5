"""Hides or deletes memories by their ids, in one transaction, and only the caller's own."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.memory.extras import BatchForget, BatchForgotten
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.ids import not_in, numbers_of
from reasonloom.nodes.runs.complete_run import finish
from reasonloom.nodes.state import ToolState
from reasonloom.stores.memory import by_id
from reasonloom.stores.runs.redaction import redact


async def batch_forget(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Forget the request's memories that are there; name the ids that are not."""
    execution = runtime.context
    request = BatchForget.model_validate(state["request"])
    numbers = numbers_of(request.memory_ids)
    if not (request.soft or request.dry_run):
        await execution.loom.journal.flush()  # what was found may still wait to be written
    async with execution.loom.database.begin(execution.caller) as tx:
        held = await by_id.hold(tx, list(numbers.values()), hidden=not request.soft)
        if held and not request.dry_run:
            if request.soft:
                await by_id.hide(tx, held, execution.loom.clock())
            else:
                await redact(tx, *held)
                await by_id.erase(tx, held)
        names = [name for name, number in numbers.items() if number in set(held)]
        answer = BatchForgotten(
            forgotten=names,
            not_found=not_in(request.memory_ids, names),
            deletion_type="soft" if request.soft else "hard",
            dry_run=request.dry_run,
        )
        return await finish(tx, execution, answer, notes=[])
