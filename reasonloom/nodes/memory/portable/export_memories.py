"""Leafs through all memories in short form, a page bounded by tokens."""

from __future__ import annotations

import json
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.memory.extras import ExportedPage, ExportMemories, MemorySummary
from reasonloom.errors import InvalidArgument, MemoryNotFound
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.forget import memory_number
from reasonloom.nodes.memory.maintenance.summaries import fields_of
from reasonloom.nodes.memory.new_memory import estimated_tokens
from reasonloom.nodes.state import ToolState
from reasonloom.stores.memory import statistics


async def export_memories(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the next page; a memory is never cut in two, and each page holds at least one."""
    execution = runtime.context
    request = ExportMemories.model_validate(state["request"])
    after = _number_of(request.cursor)
    async with execution.loom.database.begin(execution.caller) as tx:
        total = await statistics.count(tx)
        found = await statistics.page(tx, after=after, size=request.limit + 1)
    shown: list[MemorySummary] = []
    left = request.max_tokens
    for summary in found[: request.limit]:
        short = MemorySummary(**fields_of(summary))
        left -= estimated_tokens(json.dumps(short.wire(), ensure_ascii=False))
        if left < 0 and shown:
            break
        shown.append(short)
    more = {"next_cursor": shown[-1].id} if len(shown) < len(found) else {}
    return {"answer": ExportedPage(memories=shown, total_count=total, **more).wire(), "notes": []}


def _number_of(cursor: str | None) -> int:
    try:
        return memory_number(cursor) if cursor is not None else 0
    except MemoryNotFound:
        raise InvalidArgument(
            "cursor: must be the nextCursor of the page before, such as mem-42", field="cursor"
        ) from None
