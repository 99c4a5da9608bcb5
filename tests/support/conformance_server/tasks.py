"""Fixtures that are tasks, kept in memory: only what the suite looks at, over our own methods."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from mcp.server.context import HandlerResult
from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.server import require_client_extension
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    CallToolRequestParams,
    CallToolResult,
    ElicitResult,
    ErrorData,
    InputRequiredResult,
)

from reasonloom.contracts.base import Request
from reasonloom.server.tasks.extension import TASKS
from reasonloom.server.tasks.task import Ctx, Status, Task, TaskSource
from tests.support.conformance_server.fixture import (
    Fixture,
    Nothing,
    ToolContext,
    ToolResult,
    result_of,
)
from tests.support.conformance_server.rounds import ASK_NAME, CONFIRM, needs, user_reply


class Greeting(Request):
    """Whom to greet."""

    name: str = "World"


class Computation(Request):
    """How long to compute."""

    seconds: float = 0.0
    label: str = ""


class Deletion(Request):
    """What to delete."""

    filename: str = ""


async def greet(request: Greeting, context: ToolContext) -> ToolResult:
    """Greets."""
    return result_of(f"Hello, {request.name}!")


async def compute(request: Computation, context: ToolContext) -> ToolResult:
    """Computes for a while."""
    await asyncio.sleep(request.seconds)
    return result_of(f"computed {request.label}")


async def fail(request: Nothing, context: ToolContext) -> ToolResult:
    """Fails, and only as a task."""
    require_client_extension(context.request_context, TASKS)
    return CallToolResult(content=result_of("it failed").content, is_error=True)


async def break_protocol(request: Nothing, context: ToolContext) -> ToolResult:
    """Ends with an error of the protocol."""
    raise MCPError(code=INTERNAL_ERROR, message="the job broke")


async def confirmed(request: Deletion, context: ToolContext) -> ToolResult:
    """Asks for a confirmation first."""
    return result_of(f"deleted {request.filename}")


async def several(request: Nothing, context: ToolContext) -> ToolResult:
    """Asks for two things at once."""
    return result_of("both were given")


async def named(request: Nothing, context: ToolContext) -> ToolResult:
    """Asks for a name before it becomes a task."""
    name = user_reply(context, "user_name", "name")
    return result_of(f"Hello, {name}!") if name else needs({"user_name": ASK_NAME})


FIXTURES = (
    Fixture("greet", greet, Greeting),
    Fixture("slow_compute", compute, Computation),
    Fixture("failing_job", fail),
    Fixture("protocol_error_job", break_protocol),
    Fixture("confirm_delete", confirmed, Deletion),
    Fixture("multi_input", several),
    Fixture("test_tool_with_task", named),
)
ASKING = {"confirm_delete": ("confirm",), "multi_input": ("name", "confirm")}
"""What a task asks before it does its work."""

SUPPORTED = {each.name: each for each in FIXTURES if each.name != "greet"}


@dataclass
class Kept:
    """A task of a fixture, and the work that ends it."""

    task: Task
    begin: Callable[[], asyncio.Task[None]]
    work: asyncio.Task[None] | None = None


class FixtureTasks:
    """The tasks of the fixtures, in front of our own."""

    def __init__(self, own: TaskSource) -> None:
        self._own = own
        self._kept: dict[str, Kept] = {}

    def supports(self, tool: str) -> bool:
        return tool in SUPPORTED or self._own.supports(tool)

    async def begin(
        self, ctx: Ctx, params: CallToolRequestParams, *, required: bool
    ) -> Task | HandlerResult:
        fixture = SUPPORTED.get(params.name)
        if fixture is None:
            return await self._own.begin(ctx, params, required=required)
        context: ToolContext = Context(request_context=ctx, input_params=params)
        request = fixture.request.model_validate(params.arguments or {})
        if fixture.answer is named:
            first = await named(Nothing(), context)
            if isinstance(first, InputRequiredResult):
                return first
        now = datetime.now(UTC)
        asked = {key: _question(key) for key in ASKING.get(params.name, ())}
        status: Status = "input_required" if asked else "working"
        kept = Kept(
            Task(str(uuid.uuid4()), status, now, now, requests=asked),
            lambda: asyncio.create_task(self._work(kept, fixture, request, context)),
        )
        self._kept[kept.task.id] = kept
        if not asked:
            kept.work = kept.begin()
        return kept.task

    async def _work(
        self, kept: Kept, fixture: Fixture, request: Request, context: ToolContext
    ) -> None:
        try:
            result = await fixture.answer(request, context)
            assert isinstance(result, CallToolResult)
            self._end(kept, status="completed", result=result)
        except MCPError as error:
            found = ErrorData(code=error.error.code, message=error.error.message)
            self._end(kept, status="failed", error=found)

    @staticmethod
    def _end(kept: Kept, **how: Any) -> None:
        kept.task = replace(kept.task, updated_at=datetime.now(UTC), requests={}, **how)

    async def find(self, ctx: Ctx, task_id: str) -> Task:
        kept = self._kept.get(task_id)
        return kept.task if kept else await self._own.find(ctx, task_id)

    async def newest(self, ctx: Ctx, after: str | None, limit: int) -> Sequence[Task]:
        return await self._own.newest(ctx, after, limit)

    async def update(self, ctx: Ctx, task_id: str, responses: Mapping[str, Any]) -> None:
        kept = self._kept.get(task_id)
        if kept is None:
            await self._own.update(ctx, task_id, responses)
            return
        for key in set(responses) & set(kept.task.requests):
            ElicitResult.model_validate(responses[key])
            left = {name: each for name, each in kept.task.requests.items() if name != key}
            kept.task = replace(kept.task, requests=left)
        if kept.task.status == "input_required" and not kept.task.requests:
            kept.task = replace(kept.task, status="working")
            kept.work = kept.begin()

    async def cancel(self, ctx: Ctx, task_id: str) -> None:
        kept = self._kept.get(task_id)
        if kept is None:
            await self._own.cancel(ctx, task_id)
        elif not kept.task.ended:
            if kept.work:
                kept.work.cancel()
            self._end(kept, status="cancelled")


def _question(key: str) -> dict[str, Any]:
    asked = CONFIRM if key == "confirm" else ASK_NAME
    return asked.model_dump(by_alias=True, mode="json", exclude_none=True)
