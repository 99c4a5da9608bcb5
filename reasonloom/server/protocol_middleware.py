"""Says what is wrong with a request that the SDK refuses without naming it, on both transports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS
from pydantic import ValidationError

LISTS = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
TOO_EARLY = ("Invalid request parameters", "")
"""What the SDK says, with which data, to a request that comes before `initialize`."""

REFERENCE = "ref"
REFERENCES = (
    'must be {"type": "ref/prompt", "name": "..."} or {"type": "ref/resource", "uri": "..."}'
)
SAID = {
    "missing": "is missing",
    "string_type": "must be a string",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "list_type": "must be an array",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
}
"""What is said of a field by the type of pydantic's error."""

LONGEST_NAME = 100


class Malformed(ServerMiddleware[Any]):
    """Middleware of the SDK's that answers malformed requests by the field and its valid form."""

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Hand a message on; one that asks for an answer is refused where it is malformed."""
        if ctx.request_id is None:
            return await call_next(ctx)
        if mistake := _mistake(ctx.method, ctx.params or {}):
            raise MCPError(code=INVALID_PARAMS, message=mistake)
        try:
            return await call_next(ctx)
        except ValidationError as error:
            told = _told(error)
        except MCPError as error:
            if (error.error.message, error.error.data) != TOO_EARLY:
                raise
            told = f"{ctx.method}: not before initialize, which must be the first request"
        raise MCPError(code=INVALID_PARAMS, message=told)


def _mistake(method: str, params: Mapping[str, Any]) -> str | None:
    """Return what the SDK would take although it is wrong."""
    if method in LISTS and params.get("cursor") is not None:
        return "cursor: this server gave out none, since a list comes whole; leave it out"
    meta = params.get("_meta")
    if isinstance(meta, Mapping) and type(meta.get("progressToken", 0)) not in (str, int):
        return "_meta.progressToken: must be a string or a whole number"
    return None


def _told(error: ValidationError) -> str:
    """Return the first thing that is wrong with the parameters, in words of our own."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = [str(each)[:LONGEST_NAME] for each in first["loc"]]
    path = place[1:] if place[:1] == ["params"] else place
    if path[:1] == [REFERENCE]:
        return f"{REFERENCE}: {REFERENCES}"
    return f"{'.'.join(path) or 'params'}: {SAID.get(first['type'], 'has the wrong form')}"
