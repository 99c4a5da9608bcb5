"""The extension `io.modelcontextprotocol/ui`: tools name their page, and pages are read.

Clients that do not announce the extension get what they would get without it.
"""

from collections.abc import Sequence
from typing import Any

from mcp.server.apps import APP_MIME_TYPE, client_supports_apps
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver.context import Context
from mcp_types import CallToolResult, InputRequiredResult
from mcp_types import Tool as ListedTool

from reasonloom.server.apps.page import AppPage
from reasonloom.server.apps.table import PAGES
from reasonloom.server.apps.view_tool import view_tools
from reasonloom.server.catalogue.served import Catalogue
from reasonloom.server.engine_lifespan import EngineLifespan

NOTHING_LEAVES: dict[str, Any] = {
    "csp": {"connectDomains": [], "resourceDomains": [], "frameDomains": [], "baseUriDomains": []},
    "prefersBorder": True,
}
"""The `_meta.ui` of each page: it may reach no origin, and asks for a frame."""


class AppExtension:
    """The pages of one catalogue, and the tools that only they may call; a reference's has none."""

    def __init__(self, catalogue: Catalogue, lifespan: EngineLifespan) -> None:
        self._served = [] if catalogue.is_reference else [each.name for each in catalogue.tools]
        known = set(self._served)
        pages = [page for page in PAGES if known.intersection(page.tools)]
        self._pages: dict[str, AppPage] = {page.uri: page for page in pages}
        self._uris = {tool: page.uri for page in pages for tool in page.tools}
        views = view_tools((name for page in pages for name in page.views), lifespan)
        self._tools = {each.name: each for each in views}
        self.needed = {each.name: each.view.needed for each in views}

    def listed(
        self, tools: Sequence[ListedTool], context: ServerRequestContext[Any, Any]
    ) -> list[ListedTool]:
        """Return the tools as the client may see them; one that draws pages has more to see."""
        if not client_supports_apps(context):
            return list(tools)
        return [*map(self._with_page, tools), *(each.listed() for each in self._tools.values())]

    def offers(self, name: str, context: Context[Any, Any] | None) -> bool:
        """Return whether a tool is one of the pages', and the client draws pages."""
        return name in self._tools and context is not None and client_supports_apps(context)

    async def call(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any]
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool of the pages."""
        return await self._tools[name].run(arguments, context)

    def read(self, uri: str) -> list[ReadResourceContents] | None:
        """Return a page, which is whole and the same for every caller; None for another URI."""
        page = self._pages.get(uri)
        if page is None:
            return None
        meta = {"ui": NOTHING_LEAVES}
        return [ReadResourceContents(page.html(self._served), APP_MIME_TYPE, meta)]

    def _with_page(self, tool: ListedTool) -> ListedTool:
        uri = self._uris.get(tool.name)
        if uri is None:
            return tool
        return tool.model_copy(update={"meta": {**(tool.meta or {}), "ui": {"resourceUri": uri}}})
