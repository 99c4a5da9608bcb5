"""Tasks on the wire: as the extension of 2026-07-28 and as revision 2025-11-25 have them."""

from __future__ import annotations

from typing import Any

from mcp_types import CallToolResult
from mcp_types.methods import serialize_server_result

from reasonloom.server.tasks.task import Task, Timing, iso_time

MODERN, HANDSHAKE = "2026-07-28", "2025-11-25"
"""The revisions that have tasks."""

RELATED_TASK = "io.modelcontextprotocol/related-task"
IMMEDIATE_RESPONSE = "io.modelcontextprotocol/model-immediate-response"
"""The `_meta` entry with what the model reads while the task is not finished."""


def result_on_wire(result: CallToolResult, revision: str) -> dict[str, Any]:
    """Return a tool's result as a plain call would return it in a revision."""
    dumped = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    return serialize_server_result("tools/call", revision, dumped)


def _head(task: Task) -> dict[str, Any]:
    message = {} if task.message is None else {"statusMessage": task.message}
    return {
        "taskId": task.id,
        "createdAt": iso_time(task.created_at),
        "lastUpdatedAt": iso_time(task.updated_at),
        **message,
    }


def created_task(task: Task, timing: Timing) -> dict[str, Any]:
    """Return the result of a call that became a task, as the extension has it."""
    return {"resultType": "task", **_modern_head(task, timing)}


def _modern_head(task: Task, timing: Timing) -> dict[str, Any]:
    times = {"ttlMs": timing.ttl, "pollIntervalMs": timing.poll}
    return {**_head(task), "status": task.status, **times}


def detailed_task(task: Task, timing: Timing) -> dict[str, Any]:
    """Return a task with its result, error or open requests, as the extension has it."""
    detail: dict[str, Any] = {}
    if task.status == "completed" and task.result is not None:
        detail = {"result": result_on_wire(task.result, MODERN)}
    elif task.status == "failed" and task.error is not None:
        detail = {"error": task.error.model_dump(mode="json", exclude_none=True)}
    elif task.status == "input_required":
        detail = {"inputRequests": dict(task.requests)}
    return {**_modern_head(task, timing), **detail}


def handshake_task(task: Task, timing: Timing) -> dict[str, Any]:
    """Return a task as revision 2025-11-25 has it, where a tool's error is a failure."""
    failed = task.status == "completed" and task.result is not None and task.result.is_error
    return {
        **_head(task),
        "status": "failed" if failed else task.status,
        "ttl": timing.ttl,
        "pollInterval": timing.poll,
    }


def created_handshake_task(task: Task, timing: Timing) -> dict[str, Any]:
    """Return the result of a call that became a task, as revision 2025-11-25 has it.

    What a calling model must do now is its immediate response.
    """
    made: dict[str, Any] = {"task": handshake_task(task, timing)}
    if task.status == "input_required" and task.result is not None:
        text = "\n".join(getattr(each, "text", "") for each in task.result.content)
        made["_meta"] = {IMMEDIATE_RESPONSE: text}
    return made


def handshake_result(task: Task, result: CallToolResult) -> dict[str, Any]:
    """Return a task's result as `tasks/result` returns it."""
    dumped = result_on_wire(result, HANDSHAKE)
    meta = {**dumped.get("_meta", {}), RELATED_TASK: {"taskId": task.id}}
    return {**dumped, "_meta": meta}
