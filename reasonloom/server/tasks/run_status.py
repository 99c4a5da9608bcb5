"""A run as a task: its status, and its result or what it waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reasonloom.errors import ReasonloomError
from reasonloom.server.answer_size import require_size
from reasonloom.server.questions import questions_result
from reasonloom.server.tasks.results import answered_result, failed_result
from reasonloom.server.tasks.sampling import sampling_requests
from reasonloom.server.tasks.task import Status, Task

if TYPE_CHECKING:
    from mcp_types import CallToolResult

    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.graphs.runs.run_state import RunState
    from reasonloom.server.catalogue.served import ServedTool
    from reasonloom.stores.runs.runs import RunRow

STATUSES: dict[str, Status] = {
    "running": "working",
    "interrupted": "working",
    "waiting": "input_required",
    "done": "completed",
    "failed": "failed",
    "cancelled": "cancelled",
    "abandoned": "cancelled",
}
"""The status of a task by that of its run."""

WAITS = (
    "Run {run} of {tool} waits for replies of the calling model: reasoning_waiting has its "
    "questions, reasoning_answer takes the replies"
)


async def task_of(
    engine: Engine, caller: Caller, served: ServedTool, state: RunState, *, samples: bool
) -> Task:
    """Return the task of a run that `served` began, with its result if it has one.

    With `samples`, the client offers its language model, and gets open questions as requests.
    """
    row = state.current
    if result := _result_of(engine, served, state):
        return as_task(state.first, status="completed", result=result)
    if row is None:
        return as_task(state.first, status="working")
    if row.status != "waiting":
        message = str((row.error or {}).get("message", "")) or None
        return as_task(state.first, status=STATUSES[row.status], message=message)
    opened = await engine.open_round(caller, row)
    most = engine.loom.settings.output_tokens
    return as_task(
        state.first,
        status="input_required",
        message=WAITS.format(tool=row.tool, run=row.id),
        result=questions_result(row.id, opened, most),
        requests=sampling_requests(opened.questions, most) if samples else {},
    )


def _result_of(engine: Engine, served: ServedTool, state: RunState) -> CallToolResult | None:
    """Return the result of a run that has ended; a failure is a result too."""
    row = state.current or state.first
    seconds = (row.latency_ms or 0.0) / 1000
    if state.error is not None:
        return failed_result(served, state.error, seconds)
    if state.outcome is None:
        return None
    result = answered_result(served, state.first, state.outcome, seconds, engine.loom.settings)
    try:
        require_size(result, engine.loom.settings.answer_characters, (), str(row.id))
    except ReasonloomError as error:
        return failed_result(served, error, seconds)
    return result


def as_task(run: RunRow, *, status: Status, **more: Any) -> Task:
    """Return a run as a task with this status."""
    return Task(str(run.id), status, run.created_at, run.finished_at or run.created_at, **more)
