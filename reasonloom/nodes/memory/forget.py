"""Deletes a memory: hidden so that it can be restored, or removed with all that hangs on it."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.memory.tools import Forget, Forgotten
from reasonloom.errors import MemoryNotFound
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.runs.complete_run import finish
from reasonloom.nodes.state import ToolState
from reasonloom.stores.memory import memories
from reasonloom.stores.runs.redaction import redact

LARGEST_ID = 2**63 - 1
MOST_DIGITS = len(str(LARGEST_ID))


async def forget(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Delete the request's memory softly or for good."""
    execution = runtime.context
    request = Forget.model_validate(state["request"])
    memory_id = memory_number(request.memory_id)
    if not request.soft:
        await execution.loom.journal.flush()  # what was found may still wait to be written
    async with execution.loom.database.begin(execution.caller) as tx:
        if request.soft:
            gone = await memories.hide(tx, memory_id, execution.loom.clock())
        else:
            await redact(tx, memory_id)
            gone = await memories.erase(tx, memory_id)
        if not gone:
            raise MemoryNotFound(request.memory_id, field="memoryId")
        answer = Forgotten(
            memory_id=request.memory_id,
            deletion_type="soft" if request.soft else "hard",
            message="Memory hidden; it can be restored"
            if request.soft
            else "Memory and all related data removed",
        )
        return await finish(tx, execution, answer, notes=[])


def memory_number(memory_id: str) -> int:
    """Return the number in `mem-42`.

    Raises:
        MemoryNotFound: the text is no memory's id.
    """
    digits = memory_id.removeprefix("mem-")
    number = (
        int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= MOST_DIGITS else 0
    )
    if memory_id == digits or not 0 < number <= LARGEST_ID:
        raise MemoryNotFound(memory_id, field="memoryId")
    return number
