"""Builds the MCP server from a catalogue."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.exceptions import ResourceError
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolResult,
    InputRequiredResult,
    ListResourcesResult,
    PaginatedRequestParams,
    ResourceTemplate,
)
from mcp_types import Tool as ListedTool
from pydantic.networks import AnyUrl

from reasonloom import __version__
from reasonloom.contracts.inventory import ALL
from reasonloom.server.advice import instructions
from reasonloom.server.caller import caller_of
from reasonloom.server.catalogue import Catalogue, choose
from reasonloom.server.room import EngineRoom
from reasonloom.server.shelf import Shelf
from reasonloom.server.tool import make_tool

MOST_NAMED = 20
"""Tools that an error names where none is near."""

WARM_UP_AFTER = 0.05
"""Seconds from the first list of tools until the engine is opened, so that the list goes first."""


class LoomServer(MCPServer[dict[str, Any]]):
    """An MCP server over one catalogue; the list of tools never changes while it runs."""

    def __init__(self, catalogue: Catalogue, room: EngineRoom) -> None:
        super().__init__(
            catalogue.name,
            instructions=instructions(catalogue.advice),
            version=catalogue.version or __version__,
            tools=[make_tool(served, room) for served in catalogue.tools],
        )
        self._served = [served.name for served in catalogue.tools]
        self._room = room
        self._shelf = Shelf(catalogue.resources, room)

    async def list_tools(self) -> list[ListedTool]:
        """List the tools, and begin to open the engine behind them."""
        asyncio.get_running_loop().call_later(WARM_UP_AFTER, self._room.warm_up)
        return await super().list_tools()

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; an unknown one is a malformed call and answers as such (-32602)."""
        if name not in self._served:
            raise MCPError(code=INVALID_PARAMS, message=self._unknown(name))
        return await super().call_tool(name, arguments, context)

    async def _handle_list_resources(
        self, ctx: ServerRequestContext[dict[str, Any]], params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        """List the caller's newest resources; `list_resources` would not know the caller."""
        context = Context(request_context=ctx, mcp_server=self)
        caller = caller_of(self._room.settings, context)
        try:
            return ListResourcesResult(resources=await self._shelf.newest(caller))
        except ResourceError as error:
            raise MCPError(code=INTERNAL_ERROR, message=str(error)) from None

    async def list_resource_templates(self) -> list[ResourceTemplate]:
        """List the template of each kind of resource."""
        return self._shelf.templates()

    async def read_resource(
        self, uri: AnyUrl | str, context: Context[Any, Any] | None = None
    ) -> Iterable[ReadResourceContents]:
        """Read a resource; an unknown one, or somebody else's, is an invalid parameter (-32602)."""
        caller = caller_of(self._room.settings, context or Context(mcp_server=self))
        return await self._shelf.read(str(uri), caller)

    def _unknown(self, name: str) -> str:
        shown = name[:100].encode(errors="replace").decode()
        if name in ALL:
            return f"Tool not found: {shown} is not served here; see `reasonloom doctor`"
        near = get_close_matches(name[:100], self._served, n=1)
        if near:
            return f"Tool not found: {shown}; did you mean {near[0]}?"
        names = list(self._served)
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        return f"Tool not found: {shown}; known: {', '.join(names[:MOST_NAMED])}{more}"


def build_server(room: EngineRoom) -> LoomServer:
    """Return the server that the room's settings ask for.

    Raises:
        SettingMistake: the settings name a tool or toolset that does not exist.
    """
    return LoomServer(choose(room.settings), room)
