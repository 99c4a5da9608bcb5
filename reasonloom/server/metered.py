"""Counts the calls of tools, as the SDK hands them on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult

from reasonloom.telemetry.calls import count_call

UNKNOWN = "unknown"


class Metered(ServerMiddleware[Any]):
    """Middleware of the SDK's that counts calls of the tools that are served."""

    def __init__(self, tools: Collection[str]) -> None:
        self._tools = frozenset(tools)

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Hand a message on, and count it where it calls a tool."""
        if ctx.method != "tools/call":
            return await call_next(ctx)
        name = (ctx.params or {}).get("name")
        begun, status = time.perf_counter(), "refused"
        try:
            result = await call_next(ctx)
            status = "error" if _failed(result) else "ok"
        except asyncio.CancelledError:
            status = "cancelled"
            raise
        except MCPError:
            raise
        finally:
            tool = name if isinstance(name, str) and name in self._tools else UNKNOWN
            count_call(tool, status, time.perf_counter() - begun)
        return result


def _failed(result: HandlerResult) -> bool:
    if isinstance(result, CallToolResult):
        return bool(result.is_error)
    return isinstance(result, dict) and result.get("isError") is True
