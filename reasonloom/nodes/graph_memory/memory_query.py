"""Answers `memory_query`: the nodes that meet all conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.queries import MemoryQuery
from reasonloom.contracts.graph_memory.shared import NodesFound
from reasonloom.nodes.graph_memory.rendering import bounded, moment_of, told
from reasonloom.nodes.graph_memory.warning import warned
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.state import ToolState
from reasonloom.stores.graph_memory.node_lists import Conditions, listed, sessions_numbered

if TYPE_CHECKING:
    from uuid import UUID

    from reasonloom.stores.database import Transaction

MORE = "more nodes meet this; the first {count} are shown"
EMPTY = "{name} is empty and does not narrow"


async def memory_query(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the current nodes that meet the request's conditions, in its order."""
    execution = runtime.context
    request = MemoryQuery.model_validate(state["request"])
    after, before = request.created_after, request.created_before
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        conditions = Conditions(
            event_types=request.event_types or None,
            min_confidence=request.min_confidence,
            max_confidence=request.max_confidence,
            sessions=await _sessions(tx, request.session_ids),
            after=None if after is None else moment_of(after),
            before=None if before is None else moment_of(before),
        )
        found = await listed(tx, conditions, order=request.sort_by, most=request.max_results + 1)
    rows, cut = bounded(found[: request.max_results])
    answer = NodesFound(results=[told(row) for row in rows], count=len(rows))
    given = {"event_types": request.event_types, "session_ids": request.session_ids}
    notes = [EMPTY.format(name=name) for name, value in given.items() if value == []]
    more = [MORE.format(count=len(rows))] if len(found) > len(rows) else []
    return {
        "answer": answer.wire(),
        "notes": [*notes, *more, *cut, *warned(execution, answer.results)],
    }


async def _sessions(tx: Transaction, numbers: list[int] | None) -> list[UUID] | None:
    if not numbers:
        return None
    return await sessions_numbered(
        tx, {number: f"session_ids.{place}" for place, number in enumerate(numbers)}
    )
