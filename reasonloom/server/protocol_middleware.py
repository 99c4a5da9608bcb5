"""SDK middleware: errors for malformed requests, capabilities, tool metrics."""

import asyncio
import time
from collections.abc import Collection, Mapping
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult
from pydantic import ValidationError

from reasonloom.server.catalogue.served import Catalogue
from reasonloom.telemetry.metrics import count_tool_call

LIST_METHODS = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
TOO_EARLY = ("Invalid request parameters", "")
"""The SDK's message and data for a request before `initialize`."""

REF_FIELD = "ref"
REF_FORMS = (
    'must be {"type": "ref/prompt", "name": "..."} or {"type": "ref/resource", "uri": "..."}'
)
FIELD_MESSAGES = {
    "missing": "is missing",
    "string_type": "must be a string",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "list_type": "must be an array",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
}
"""Messages by pydantic error type."""

MAX_PATH_PART = 100


class RequestValidation(ServerMiddleware[Any]):
    """Answers malformed requests with an error that names the field and its valid form."""

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Handle a message; refuse a malformed request."""
        if ctx.request_id is None:
            return await call_next(ctx)
        if mistake := _unchecked_mistake(ctx.method, ctx.params or {}):
            raise MCPError(code=INVALID_PARAMS, message=mistake)
        try:
            return await call_next(ctx)
        except ValidationError as error:
            message = _field_message(error)
        except MCPError as error:
            if (error.error.message, error.error.data) != TOO_EARLY:
                raise
            message = f"{ctx.method}: not before initialize, which must be the first request"
        raise MCPError(code=INVALID_PARAMS, message=message)


def _unchecked_mistake(method: str, params: Mapping[str, Any]) -> str | None:
    """Return what is wrong with parameters that the SDK would accept."""
    if method in LIST_METHODS and params.get("cursor") is not None:
        return "cursor: this server does not page its lists; leave it out"
    meta = params.get("_meta")
    if isinstance(meta, Mapping) and type(meta.get("progressToken", 0)) not in (str, int):
        return "_meta.progressToken: must be a string or a whole number"
    return None


def _field_message(error: ValidationError) -> str:
    """Return a message for the first error in the parameters."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = [str(each)[:MAX_PATH_PART] for each in first["loc"]]
    path = place[1:] if place[:1] == ["params"] else place
    if path[:1] == [REF_FIELD]:
        return f"{REF_FIELD}: {REF_FORMS}"
    return (
        f"{'.'.join(path) or 'params'}: {FIELD_MESSAGES.get(first['type'], 'has the wrong form')}"
    )


CAPABILITY_METHODS = ("initialize", "server/discover")


class CapabilityFilter(ServerMiddleware[Any]):
    """Removes capabilities that the server lacks, and changes of lists, which never change.

    The SDK always announces some.
    """

    def __init__(self, lacking: Collection[str]) -> None:
        self._lacking = frozenset(lacking)

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Handle a message and filter the announced capabilities."""
        result = await call_next(ctx)
        if ctx.method not in CAPABILITY_METHODS or not isinstance(result, dict):
            return result
        able = {
            name: {**each, "listChanged": False} if "listChanged" in each else each
            for name, each in result["capabilities"].items()
            if name not in self._lacking
        }
        return {**result, "capabilities": able}


def missing_capabilities(catalogue: Catalogue) -> set[str]:
    """Return the capabilities that a catalogue lacks."""
    lacking = {"prompts": catalogue.is_reference, "resources": not catalogue.resources}
    lacking["completions"] = all(lacking.values())
    return {name for name, absent in lacking.items() if absent}


UNKNOWN_TOOL = "unknown"
OUTCOME = "reasonloom.outcome"
"""The key of a tool call's outcome in the ASGI scope of its request, for the access log."""


class ToolMetrics(ServerMiddleware[Any]):
    """Counts calls of served tools, and notes their outcomes for the access log."""

    def __init__(self, tools: Collection[str]) -> None:
        self._tools = frozenset(tools)

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Handle a message and count it if it calls a tool."""
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
            tool = name if isinstance(name, str) and name in self._tools else UNKNOWN_TOOL
            count_tool_call(tool, status, time.perf_counter() - begun)
            if ctx.request is not None:
                ctx.request.scope[OUTCOME] = status
        return result


def _failed(result: HandlerResult) -> bool:
    if isinstance(result, CallToolResult):
        return bool(result.is_error)
    return isinstance(result, dict) and result.get("isError") is True
