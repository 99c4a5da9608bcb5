"""Brings back a memory that was hidden."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.memory.extras import Restored, RestoreMemory
from reasonloom.errors import MemoryNotFound
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.forget import memory_number
from reasonloom.nodes.runs.complete_run import finish
from reasonloom.nodes.state import ToolState
from reasonloom.stores.memory import memories


async def restore_memory(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Restore the request's memory.

    Raises:
        MemoryNotFound: no hidden memory of this owner and space has this id.
    """
    execution = runtime.context
    request = RestoreMemory.model_validate(state["request"])
    number = memory_number(request.memory_id)
    async with execution.loom.database.begin(execution.caller) as tx:
        if not await memories.restore(tx, number):
            raise MemoryNotFound(request.memory_id, field="memoryId")
        answer = Restored(memory_id=request.memory_id, message="Memory restored")
        return await finish(tx, execution, answer, notes=[])
