"""What a fixture is, and how it becomes a tool with our validation and our errors."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from mcp.server.mcpserver.context import Context
from mcp_types import CallToolResult, ContentBlock, InputRequiredResult, TextContent
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from reasonloom.contracts.base import Request
from reasonloom.contracts.schema import publish
from reasonloom.contracts.validation import parse_request
from reasonloom.errors import CallerMistake
from reasonloom.server.base_tool import BaseTool
from reasonloom.server.envelopes.envelope import Envelope
from reasonloom.server.envelopes.plain_json import PLAIN

ToolContext = Context[Any, Any]
ToolResult = CallToolResult | InputRequiredResult


class Nothing(Request):
    """No arguments."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """One tool that the suite calls by its name.

    Attributes:
        answer: what it does; the first line of its docstring is the tool's description.
        request: what it takes.
        schema: what is published instead of the request's own schema, where the suite says which.
    """

    name: str
    answer: Callable[[Any, ToolContext], Awaitable[ToolResult]]
    request: type[Request] = Nothing
    schema: dict[str, Any] | None = None


class FixtureTool(BaseTool):
    """A fixture as a tool of the server."""

    fixture: Fixture
    envelope: Envelope = PLAIN

    async def answer(
        self, arguments: dict[str, Any], context: ToolContext, started: float
    ) -> ToolResult:
        """Return what the fixture answers.

        Raises:
            CallerMistake: it needs more, in a way that the client's revision does not know.
        """
        answer = await self.fixture.answer(parse_request(self.fixture.request, arguments), context)
        modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
        if isinstance(answer, InputRequiredResult) and not modern:
            raise CallerMistake("this tool asks in a way that revision 2026-07-28 has brought")
        return answer


def make_fixture(fixture: Fixture) -> FixtureTool:
    """Return the tool of a fixture."""
    lines = (fixture.answer.__doc__ or "").strip().splitlines()
    return FixtureTool(
        fixture=fixture,
        name=fixture.name,
        title=fixture.name.replace("_", " "),
        description=lines[0],
        parameters=fixture.schema or publish(fixture.request),
    )


def result_of(*content: ContentBlock | str) -> CallToolResult:
    """Return a result that holds this content; a string becomes a text."""
    blocks: list[ContentBlock] = [
        TextContent(text=each) if isinstance(each, str) else each for each in content
    ]
    return CallToolResult(content=blocks)
