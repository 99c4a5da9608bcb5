"""The base class of tools: errors are returned in an envelope, never as a traceback."""

import json
import logging
import time
import uuid
from collections.abc import Awaitable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.tools.base import Tool
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata, func_metadata
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, InputRequiredResult, TextContent
from pydantic import ConfigDict

from reasonloom.contracts.example_calls import example_line
from reasonloom.errors import InternalFault, ReasonloomError
from reasonloom.server.envelopes.envelope import Envelope, ResponseMeta, ToolResponse
from reasonloom.server.toolsets.toolset import ToolLine
from reasonloom.settings import Settings

Result = TypeVar("Result")
log = logging.getLogger(__name__)


def _unused() -> None:
    """Satisfy the SDK, which requires a function; `BaseTool.run` replaces it."""


NO_FUNCTION = func_metadata(_unused)


class BaseTool(Tool):
    """A tool that returns errors in its reference's envelope.

    A `lenient` tool is ours; one that is not is served as its reference.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, ignored_types=(property,))

    envelope: Envelope
    lenient: bool = True
    fn: Any = _unused
    is_async: bool = True
    fn_metadata: FuncMetadata = NO_FUNCTION

    async def run(
        self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False
    ) -> CallToolResult | InputRequiredResult:
        """Run the tool; errors are returned in its reference's envelope.

        Raises:
            MCPError: the call itself is refused, as the protocol requires.
        """
        started = time.perf_counter()
        return await self.guarded(self.answer(arguments, context, started), started)

    async def guarded(self, work: Awaitable[Result], started: float) -> Result | CallToolResult:
        """Return the result of `work`, or its error in the reference's envelope."""
        try:
            return await work
        except MCPError:
            raise
        except ReasonloomError as error:
            return self._failed(error, started)
        except Exception:
            reference = uuid.uuid4().hex[:8]
            log.exception("%s broke (reference %s)", self.name, reference)
            return self._failed(InternalFault(reference), started)

    async def answer(
        self, arguments: dict[str, Any], context: Context[Any, Any], started: float
    ) -> CallToolResult | InputRequiredResult:
        """Return the result of a successful call; `started` is its `time.perf_counter()`."""
        raise NotImplementedError

    def _failed(self, error: ReasonloomError, started: float) -> CallToolResult:
        seconds = time.perf_counter() - started
        meta = ResponseMeta(seconds=seconds, tool=self.name, reference=not self.lenient)
        response = self.envelope.failure(error, meta)
        if example := example_line(error, self.name):
            body = response.structured or {}
            text = response.text or f"Error: {body.get('error', body.get('message'))}"
            response = replace(response, text=f"{text}{example}")
        return call_result(response, failed=True)


KEPT = "kept as a memory of this session, which recall leaves out"


def kept_notes(line: ToolLine, answer: Mapping[str, Any], settings: Settings) -> list[str]:
    """Return a note that a conclusion was stored, if it was, for a tool that runs any mode."""
    results = [answer, answer.get("result") or {}]
    thoughts = [each for each in results if each.keys() & {"thought_id", "thoughtId"}]
    return [KEPT] if line.front and settings.auto_memory and thoughts else []


def call_result(response: ToolResponse, *, failed: bool) -> CallToolResult:
    """Return a response as MCP's result: text and structured content."""
    text = response.text
    if text is None:
        text = json.dumps(response.structured, ensure_ascii=False)
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=response.structured,
        is_error=failed,
    )
