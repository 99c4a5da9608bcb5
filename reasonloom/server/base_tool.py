"""The base class of tools: errors are returned in an envelope, never as a traceback."""

import json
import logging
import time
import uuid
from typing import Any

from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.tools.base import Tool
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata, func_metadata
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, InputRequiredResult, TextContent
from pydantic import ConfigDict

from reasonloom.errors import InternalFault, ReasonloomError
from reasonloom.server.envelopes.envelope import Envelope, ResponseMeta, ToolResponse

log = logging.getLogger(__name__)


def _unused() -> None:
    """Satisfy the SDK, which requires a function; `BaseTool.run` replaces it."""


NO_FUNCTION = func_metadata(_unused)


class BaseTool(Tool):
    """A tool that returns errors in its reference's envelope."""

    model_config = ConfigDict(arbitrary_types_allowed=True, ignored_types=(property,))

    envelope: Envelope
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
        try:
            return await self.answer(arguments, context, started)
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
        meta = ResponseMeta(seconds=time.perf_counter() - started, tool=self.name)
        return call_result(self.envelope.failure(error, meta), failed=True)


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
