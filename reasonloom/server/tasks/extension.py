"""The extension `io.modelcontextprotocol/tasks`, and its methods in both revisions."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from mcp.server.context import CallNext, HandlerResult
from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver.server import require_client_extension
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import MCP_NAME_HEADER, decode_header_value
from mcp_types import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    CallToolRequestParams,
    GetTaskRequestParams,
    PaginatedRequestParams,
    RequestParams,
)

from reasonloom.server.tasks.forms import (
    HANDSHAKE,
    MODERN,
    created_task,
    detailed_task,
    handshake_result,
    handshake_task,
)
from reasonloom.server.tasks.task import Ctx, Task, TaskSource, Timing

TASKS = "io.modelcontextprotocol/tasks"
CHECK_AGAIN = 0.5
"""Seconds between two looks at a task whose result a client of 2025-11-25 waits for."""

MAX_LISTED = 50
BOTH = frozenset({MODERN, HANDSHAKE})


class UpdateTaskParams(RequestParams):
    """The parameters of `tasks/update`."""

    task_id: str
    input_responses: dict[str, Any]


class TasksExtension(Extension):
    """Serves tasks; in 2026-07-28 only to clients that declare the extension."""

    identifier = TASKS

    def __init__(self, source: TaskSource, timing: Timing) -> None:
        self._source = source
        self._timing = timing

    def methods(self) -> Sequence[MethodBinding]:
        """Return the methods of both revisions."""
        modern, handshake = frozenset({MODERN}), frozenset({HANDSHAKE})
        return (
            MethodBinding("tasks/get", GetTaskRequestParams, self._get, BOTH),
            MethodBinding("tasks/cancel", GetTaskRequestParams, self._cancel, BOTH),
            MethodBinding("tasks/update", UpdateTaskParams, self._update, modern),
            MethodBinding("tasks/result", GetTaskRequestParams, self._result, handshake),
            MethodBinding("tasks/list", PaginatedRequestParams, self._list, handshake),
        )

    async def intercept_tool_call(
        self, params: CallToolRequestParams, ctx: Ctx, call_next: CallNext
    ) -> HandlerResult:
        """Answer a call with a task where the client takes one and the tool takes long."""
        if not declares_tasks(ctx) or not self._source.supports(params.name):
            return await call_next(ctx)
        begun = await self._source.begin(ctx, params, required=False)
        if isinstance(begun, Task):
            return created_task(begun, self._timing)
        return await call_next(ctx) if begun is None else begun

    async def _get(self, ctx: Ctx, params: GetTaskRequestParams) -> HandlerResult:
        _require_client(ctx, params.task_id)
        task = await self._source.find(ctx, params.task_id)
        form = detailed_task if ctx.protocol_version == MODERN else handshake_task
        return form(task, self._timing)

    async def _cancel(self, ctx: Ctx, params: GetTaskRequestParams) -> HandlerResult:
        _require_client(ctx, params.task_id)
        if ctx.protocol_version == MODERN:
            await self._source.cancel(ctx, params.task_id)
            return {}
        task = await self._source.find(ctx, params.task_id)
        if task.ended:
            reason = f"taskId: the task has ended and cannot be cancelled; it is {task.status}"
            raise MCPError(code=INVALID_PARAMS, message=reason)
        await self._source.cancel(ctx, params.task_id)
        return handshake_task(await self._ended(ctx, params.task_id), self._timing)

    async def _update(self, ctx: Ctx, params: UpdateTaskParams) -> HandlerResult:
        _require_client(ctx, params.task_id)
        await self._source.update(ctx, params.task_id, params.input_responses)
        return {}

    async def _result(self, ctx: Ctx, params: GetTaskRequestParams) -> HandlerResult:
        """Return a task's result once it has one; while input is required, what to do."""
        task = await self._ended(ctx, params.task_id, input_too=True)
        if task.error is not None:
            raise MCPError.from_error_data(task.error)
        if task.result is None:
            reason = f"taskId: the task has no result; it is {task.status}"
            raise MCPError(code=INVALID_PARAMS, message=reason)
        return handshake_result(task, task.result)

    async def _ended(self, ctx: Ctx, task_id: str, *, input_too: bool = False) -> Task:
        """Return a task once it has ended, or also once it requires input."""
        while True:
            task = await self._source.find(ctx, task_id)
            if task.ended or (input_too and task.status == "input_required"):
                return task
            await asyncio.sleep(CHECK_AGAIN)

    async def _list(self, ctx: Ctx, params: PaginatedRequestParams) -> HandlerResult:
        found = await self._source.newest(ctx, params.cursor, MAX_LISTED + 1)
        listed = found[:MAX_LISTED]
        more = {"nextCursor": listed[-1].id} if len(found) > MAX_LISTED else {}
        return {"tasks": [handshake_task(each, self._timing) for each in listed], **more}


def declares_tasks(ctx: Ctx) -> bool:
    """Return whether this request's client takes tasks of the extension."""
    able = ctx.session.client_capabilities
    extensions = (able.extensions if able else None) or {}
    return ctx.protocol_version == MODERN and TASKS in extensions


def _require_client(ctx: Ctx, task_id: str) -> None:
    """Require what revision 2026-07-28 asks of a client: the extension, and the routing header.

    Raises:
        MCPError: the client did not declare the extension, or the header names another task.
    """
    if ctx.protocol_version != MODERN:
        return
    require_client_extension(ctx, TASKS)
    if ctx.request is None:
        return
    if decode_header_value(ctx.request.headers.get(MCP_NAME_HEADER)) != task_id:
        reason = f"{MCP_NAME_HEADER}: the header must have the value of params.taskId"
        raise MCPError(code=HEADER_MISMATCH, message=reason)
