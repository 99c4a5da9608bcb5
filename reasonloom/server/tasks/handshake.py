"""Tasks of revision 2025-11-25: announced at the handshake, requested by `task` in a call."""

from __future__ import annotations

from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerMiddleware
from mcp.shared.exceptions import MCPError
from mcp_types import METHOD_NOT_FOUND, CallToolRequestParams

from reasonloom.server.names import truncated_name
from reasonloom.server.tasks.extension import TASKS
from reasonloom.server.tasks.forms import HANDSHAKE, created_handshake_task
from reasonloom.server.tasks.notifications import TaskNotifications
from reasonloom.server.tasks.task import Ctx, Task, TaskSource, Timing

CAPABILITY: dict[str, Any] = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}


class HandshakeTasks(ServerMiddleware[Any]):
    """Serves what revision 2025-11-25 has of tasks outside of their own methods.

    The SDK's models of that revision have none of it, so it is added around them.
    """

    def __init__(self, source: TaskSource, timing: Timing) -> None:
        self._source = source
        self._timing = timing
        self._notifications = TaskNotifications(source, timing)

    async def __call__(self, ctx: Ctx, call_next: CallNext) -> HandlerResult:
        """Handle a message."""
        if ctx.method == "initialize":
            return _announced(await call_next(ctx))
        if ctx.protocol_version != HANDSHAKE:
            return await call_next(ctx)
        if ctx.method == "tools/list":
            return self._listed(await call_next(ctx))
        if ctx.method == "tools/call" and (ctx.params or {}).get("task") is not None:
            return await self._called(ctx)
        return await call_next(ctx)

    def _listed(self, result: HandlerResult) -> HandlerResult:
        """Add to each listed tool whether its calls can be tasks."""
        if isinstance(result, dict):
            for each in result["tools"]:
                if self._source.supports(each["name"]):
                    each["execution"] = {"taskSupport": "optional"}
        return result

    async def _called(self, ctx: Ctx) -> HandlerResult:
        params = CallToolRequestParams.model_validate(ctx.params, by_name=False)
        if not self._source.supports(params.name):
            reason = f"task: {truncated_name(params.name)} has no tasks; call it without `task`"
            raise MCPError(code=METHOD_NOT_FOUND, message=reason)
        begun = await self._source.begin(ctx, params, required=True)
        if not isinstance(begun, Task):
            return begun
        self._notifications.begun(ctx, begun)
        return created_handshake_task(begun, self._timing)


def _announced(result: HandlerResult) -> HandlerResult:
    """Return an answered handshake with the capability where the revision has it.

    The extension works without a handshake only, so it is left out.
    """
    if not isinstance(result, dict):
        return result
    able = dict(result["capabilities"])
    others = {name: each for name, each in able.pop("extensions", {}).items() if name != TASKS}
    more = {"tasks": CAPABILITY} if result.get("protocolVersion") == HANDSHAKE else {}
    return {**result, "capabilities": able | more | ({"extensions": others} if others else {})}
