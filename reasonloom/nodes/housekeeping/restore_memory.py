"""Brings back a memory that was hidden."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.extras import Restored, RestoreMemory
from reasonloom.errors import MemoryNotFound
from reasonloom.nodes.finish import finish
from reasonloom.nodes.forget import memory_number
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.state import ToolState
from reasonloom.stores import memories


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
