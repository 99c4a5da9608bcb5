"""Implements `forget`, `restore_memory` and the rollback of one writer's memories."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.memory.extras import Restored, RestoreMemory
from reasonloom.contracts.memory.tools import Forgotten, OwnersForget
from reasonloom.errors import MemoryNotFound
from reasonloom.nodes.execution import Execution, Loom
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.sharing.places import locate, log_use
from reasonloom.nodes.state import ToolState
from reasonloom.stores.memory import memories, statistics
from reasonloom.stores.memory.statistics import Trace, WriterFilter
from reasonloom.stores.runs.redaction import redact

REMOVED = "Memory and all related data removed"
SHARED = (
    "Memory and all related data removed, also from the recorded calls of those who stored, read "
    "or changed it; copies promoted into other spaces stay"
)
LARGEST_ID = 2**63 - 1
MEMORY_ID = re.compile(r"mem-([0-9]{1,19})")


async def forget(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Hide the memory so that it can be restored, or erase it with all related data.

    Raises:
        MemoryNotFound: the owner has no memory with this id in this space.
    """
    request = runtime.context.request(OwnersForget)
    execution, plain = await locate(runtime.context, request.memory_id, "write")
    memory_id = memory_number(plain)
    if not request.soft:
        await execution.loom.journal.flush()  # pending accesses must precede the erasure
    async with execution.loom.database.begin(execution.caller) as tx:
        if request.soft:
            found = await memories.hide(tx, memory_id, execution.loom.clock())
            kind, message = "soft", "Memory hidden; it can be restored"
        else:
            await redact(tx, memory_id)
            found = await memories.erase(tx, memory_id)
            kind, message = "hard", SHARED if execution.caller.host else REMOVED
        if not found:
            raise MemoryNotFound(request.memory_id, field="memoryId")
        await log_use(tx, execution, "forget", [memory_id])
        answer = Forgotten(memory_id=request.memory_id, deletion_type=kind, message=message)
        return await complete_run(tx, execution, answer, notes=[])


def memory_number(memory_id: str, *, field: str = "memoryId") -> int:
    """Return the number in an id such as `mem-42`; `field` is the argument that holds the id.

    Raises:
        MemoryNotFound: the text is not a valid memory id.
    """
    match = MEMORY_ID.fullmatch(memory_id)
    number = int(match[1]) if match else 0
    if not 0 < number <= LARGEST_ID:
        raise MemoryNotFound(memory_id, field=field)
    return number


async def restore_memory(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Restore a hidden memory.

    Raises:
        MemoryNotFound: the owner has no hidden memory with this id in this space.
    """
    request = runtime.context.request(RestoreMemory)
    execution, plain = await locate(runtime.context, request.memory_id, "write")
    number = memory_number(plain)
    async with execution.loom.database.begin(execution.caller) as tx:
        if not await memories.restore(tx, number):
            raise MemoryNotFound(request.memory_id, field="memoryId")
        await log_use(tx, execution, "write", [number])
        answer = Restored(memory_id=request.memory_id, message="Memory restored")
        return await complete_run(tx, execution, answer, notes=[])


@dataclass(frozen=True, slots=True)
class RollbackResult:
    """The memories (to be) removed, those derived from them, and the shared time of hiding."""

    memories: Sequence[Trace]
    derived: Sequence[Trace]
    at: datetime


async def roll_back(
    loom: Loom, caller: Caller, written: WriterFilter, *, hard: bool = False, dry_run: bool = False
) -> RollbackResult:
    """Hide or erase one writer's memories in one transaction; a dry run changes nothing.

    `hard` also redacts them from runs and checkpoints. Memories derived from them are reported
    but not removed.

    Raises:
        DatabaseUnavailable: the connection was lost; nothing was changed.
    """
    at = loom.clock()
    async with loom.database.begin(caller) as tx:
        if not dry_run:
            ids = [trace.id for trace in await statistics.written_by(tx, written)]
            await memories.hold_many(tx, ids, hidden=written.hidden)
        traces = await statistics.written_by(tx, written)
        ids = [trace.id for trace in traces]
        derived = await statistics.derived_from(tx, ids)
        if ids and not dry_run:
            if hard:
                await redact(tx, *ids)
                await memories.erase_many(tx, ids)
            else:
                await memories.hide_many(tx, ids, at)
    return RollbackResult(traces, derived, at)
