"""Answers `session_start`: a new session, or an earlier one gone on with."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.sessions import SessionStart, SessionStarted
from reasonloom.errors import InvalidArgument
from reasonloom.nodes.graph_memory.previous import left_before
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.runs.complete_run import finish
from reasonloom.nodes.state import ToolState
from reasonloom.stores.graph_memory import memory_sessions, session_ends

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.graph_memory.session_ends import Course

MOST_METADATA = 16_384
"""Bytes of JSON that a session's metadata may come to."""

AGAIN = "session {number} had been ended and is open again; ending it sums it up anew"
LEFT_OPEN = "session {number} was not ended; session_end with session_id {number} sums it up"


async def session_start(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Make a session the caller's current one, and tell what the last one left."""
    execution = runtime.context
    request = SessionStart.model_validate(state["request"])
    given = request.metadata or {}
    _require_room(given)
    async with execution.loom.database.begin(execution.caller) as tx:
        await memory_sessions.hold(tx)
        course = await _begun(tx, execution, request.session_id)
        kept = {**course.metadata, **given}
        _require_room(kept)
        if given:
            kept = await session_ends.merge_metadata(tx, course.id, given)
        previous = await left_before(tx, execution.caller.project, course.id)
        answer = SessionStarted(
            session_id=course.number,
            continued=request.session_id is not None,
            metadata=kept,
            previous=previous,
        )
        notes = [AGAIN.format(number=course.number)] if course.ended_at else []
        if previous.session_id is not None and not previous.ended:
            notes.append(LEFT_OPEN.format(number=previous.session_id))
        return await finish(tx, execution, answer, notes=notes, session_id=course.id)


async def _begun(tx: Transaction, execution: Execution, number: int | None) -> Course:
    """Return the session that is current now, as it was before.

    Raises:
        SessionNotFound: a number was given that no session has.
    """
    caller: Caller = execution.caller
    if number is None:
        made = await memory_sessions.begin(tx, caller, execution.run.effect("session"))
        return await session_ends.of_id(tx, made.id)
    course = await session_ends.of_number(tx, number)
    if course.ended_at:
        await memory_sessions.reopen(tx, course.id)
    await memory_sessions.go_on(tx, caller, course.id)
    return course


def _require_room(metadata: dict[str, Any]) -> None:
    """See that metadata can be kept.

    Raises:
        InvalidArgument: it is too large.
    """
    size = len(json.dumps(metadata, ensure_ascii=False).encode())
    if size > MOST_METADATA:
        raise InvalidArgument(
            f"metadata: a session keeps at most {MOST_METADATA} bytes of JSON, "
            f"and this comes to {size}",
            field="metadata",
        )
