"""Tools that only pages call, through the host: they read what a page draws, and record nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from mcp.server.mcpserver.context import Context
from mcp_types import CallToolResult, ToolAnnotations
from mcp_types import Tool as ListedTool

from reasonloom.contracts.base import Request
from reasonloom.contracts.schema import publish
from reasonloom.contracts.space import SpacedRequest
from reasonloom.contracts.validation import parse_request
from reasonloom.errors import TimedOut
from reasonloom.server.answer_size import require_size
from reasonloom.server.apps.requests import ViewGraph, ViewSession, ViewStreams, ViewThought
from reasonloom.server.auth.principal import caller_of
from reasonloom.server.auth.scopes import scope_of
from reasonloom.server.base_tool import BaseTool, call_result
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.server.envelopes.envelope import ResponseMeta
from reasonloom.server.envelopes.plain_json import PLAIN

READER = "reasonloom.server.apps.views"
"""The module with a coroutine for each view; imported on first use, as it loads the engine."""


@dataclass(frozen=True, slots=True)
class View:
    """One such tool; its token scope is that of a resource of `toolset`."""

    name: str
    title: str
    request: type[Request]
    toolset: str = "all"

    @property
    def needed(self) -> str:
        """The narrowest scope that allows it."""
        return scope_of(self.toolset, reads=True)


VIEWS = {
    each.name: each
    for each in (
        View("view_session", "Draw a session", ViewSession, "reasoning"),
        View("view_thought", "Draw a thought", ViewThought),
        View("view_graph", "Draw a graph", ViewGraph, "reasoning"),
        View("view_streams", "Draw streams", ViewStreams),
    )
}


class ViewTool(BaseTool):
    """Reads one view for a page."""

    view: View
    lifespan: EngineLifespan

    @property
    def output_schema(self) -> dict[str, Any]:
        """An object whose form only our pages know."""
        return {"type": "object"}

    def listed(self) -> ListedTool:
        """Return the tool as clients see it: for pages, not for agents."""
        return ListedTool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=self.parameters,
            output_schema=self.output_schema,
            annotations=self.annotations,
            _meta={"ui": {"visibility": ["app"]}},
        )

    async def answer(
        self, arguments: dict[str, Any], context: Context[Any, Any], started: float
    ) -> CallToolResult:
        """Return the view.

        Raises:
            NotFound: the caller has nothing with this id.
            TimedOut: the database did not answer in time.
            AnswerTooLarge: the view exceeds the server's size limit.
        """
        request = parse_request(self.view.request, arguments)
        settings = self.lifespan.settings
        caller = caller_of(settings, context)
        if isinstance(request, SpacedRequest):
            caller = caller.reading(request.space())
        try:
            async with asyncio.timeout(settings.tool_timeout):
                engine = await self.lifespan.engine()
                read = getattr(import_module(READER), self.view.name)
                values = await read(engine, caller, request)
        except TimeoutError:
            raise TimedOut(f"no answer within {settings.tool_timeout:g} s; try again") from None
        answer = call_result(PLAIN.success(values, ResponseMeta()), failed=False)
        require_size(answer, settings.answer_characters, (), None)
        return answer


def view_tools(names: Iterable[str], lifespan: EngineLifespan) -> list[ViewTool]:
    """Return the tools of these views."""
    return [
        ViewTool(
            envelope=PLAIN,
            name=view.name,
            title=view.title,
            description=" ".join((view.request.__doc__ or "").split()),
            parameters=publish(view.request),
            annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
            view=view,
            lifespan=lifespan,
        )
        for view in map(VIEWS.__getitem__, names)
    ]
