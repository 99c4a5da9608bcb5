"""A minimal host: it renders a tool's page in a sandbox of another origin, and passes calls on.

It follows MCP Apps (SEP-1865) of 2026-01-26. What a hostile or broken host would do differently is
set on it before a page is opened.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from axe_playwright_python.async_playwright import Axe
from mcp import Client
from mcp.client.extension import advertise
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextResourceContents
from playwright.async_api import Browser, Frame, Page, Route

from reasonloom.server.app import build_server
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.settings import Settings
from tests.support.studio.browser import LONGEST

FOLDER = Path(__file__).parent
CSP = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; media-src 'self' data:; object-src 'none'; connect-src 'none'; "
    "frame-src 'self'"
)
"""The restrictive default of the extension; a document in `srcdoc` inherits it."""

DARK = {
    "--color-background-primary": "light-dark(#ffffff, #171717)",
    "--color-background-secondary": "light-dark(#f4f4f4, #262626)",
    "--color-text-primary": "light-dark(#171717, #fafafa)",
    "--color-text-secondary": "light-dark(#525252, #b5b5b5)",
    "--color-border-primary": "light-dark(#d4d4d4, #404040)",
    "--font-sans": "Georgia, serif",
}
"""Colours of a host, of which each has a light and a dark value."""

GRAVE = ("serious", "critical")


@asynccontextmanager
async def apps_client(
    settings: Settings, mime_types: tuple[str, ...] = (APP_MIME_TYPE,), mode: str = "auto"
) -> AsyncIterator[Client]:
    """Yield a client, of a server in this process, that announces MCP Apps."""
    extension = advertise(EXTENSION_ID, {"mimeTypes": list(mime_types)})
    async with (
        EngineLifespan(settings) as room,
        Client(build_server(room), extensions=[extension], mode=mode) as client,
    ):
        yield client


async def page_of(client: Client, tool: str) -> str:
    """Return the document that a tool names as its page."""
    listed = {each.name: each for each in (await client.list_tools()).tools}
    uri = (listed[tool].meta or {})["ui"]["resourceUri"]
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    assert content.mime_type == APP_MIME_TYPE
    return content.text


@dataclass
class Host:
    """One page of the host in a browser.

    Attributes:
        result: the result sent to the page instead of the server's, if any.
        silent: methods that it never answers.
        failing: methods that it answers with an error.
    """

    client: Client
    page: Page
    theme: str | None = "light"
    variables: Mapping[str, str] | None = None
    capabilities: Mapping[str, Any] = field(
        default_factory=lambda: {"serverTools": {}, "updateModelContext": {"text": {}}}
    )
    result: Any = None
    silent: set[str] = field(default_factory=set)
    failing: set[str] = field(default_factory=set)
    html: str = ""
    requested: list[tuple[str, Any]] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    _call: tuple[str, Mapping[str, Any]] = ("", {})

    async def open(self, tool: str, arguments: Mapping[str, Any]) -> Frame:
        """Call a tool, and render its page; return the page's frame after the handshake."""
        self.html = self.html or await page_of(self.client, tool)
        self._call = (tool, arguments)
        if self.result is None:
            called = await self.client.call_tool(tool, dict(arguments))
            assert isinstance(called, CallToolResult)
            self.result = called.model_dump(mode="json", by_alias=True, exclude_none=True)
        await self.page.goto("http://host.test/")
        await self.page.evaluate("theme => { document.documentElement.dataset.theme = theme; }",
                                 self.theme)  # fmt: skip
        await self.frame.locator("main h1").first.wait_for()
        return self.frame

    @property
    def frame(self) -> Frame:
        """The frame of the page inside the sandbox."""
        return self.page.frames[-1]

    async def answer(self, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
        """Answer a request of the page; None for never."""
        self.requested.append((method, params))
        if method in self.silent:
            return None
        if method in self.failing:
            return {"error": {"code": -32000, "message": f"{method} was refused"}}
        if method == "ui/initialize":
            styles = {"variables": self.variables} if self.variables else {}
            context = {"styles": styles, **({"theme": self.theme} if self.theme else {})}
            return {"result": {
                "protocolVersion": "2026-01-26", "hostInfo": {"name": "minimal", "version": "1"},
                "hostCapabilities": self.capabilities, "hostContext": context,
            }}  # fmt: skip
        if method == "tools/call":
            return await self._called(params)
        return {"result": {}}

    async def _called(self, params: dict[str, Any]) -> dict[str, Any]:
        try:
            called = await self.client.call_tool(params["name"], params["arguments"])
        except MCPError as error:
            return {"error": {"code": error.error.code, "message": error.error.message}}
        return {"result": called.model_dump(mode="json", by_alias=True, exclude_none=True)}

    async def notified(self, method: str, params: Any) -> list[dict[str, Any]]:
        """Return what to send to the page after its notification."""
        if method != "ui/notifications/initialized":
            return []
        return [
            {"method": "ui/notifications/tool-input", "params": {"arguments": self._call[1]}},
            {"method": "ui/notifications/tool-result", "params": self.result},
        ]

    async def send(self, message: Mapping[str, Any]) -> None:
        """Send a message to the page."""
        await self.page.evaluate("message => send(message)", dict(message))

    async def faults(self) -> list[str]:
        """Return the grave faults that axe finds in the page."""
        told = await Axe().run(self.frame, options={"resultTypes": ["violations"]})
        return [
            f"{each['id']}: {[node['html'][:160] for node in each['nodes'][:4]]}"
            for each in told.response["violations"]
            if each["impact"] in GRAVE
        ]

    async def overflow(self) -> int:
        """Return by how many pixels the page is wider than its frame."""
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        return int(await self.frame.evaluate(wide))


PLACES = {"http://host.test/": "host.html", "http://sandbox.test/": "sandbox.html"}


@asynccontextmanager
async def hosting(
    browser: Browser, client: Client, *, width: int = 900, **more: Any
) -> AsyncIterator[Host]:
    """Yield a host in a window of its own; no request leaves it."""
    page = await browser.new_page(viewport={"width": width, "height": 900})
    page.set_default_timeout(LONGEST)
    host = Host(client, page, **more)

    async def serve(route: Route) -> None:
        name = PLACES.get(route.request.url)
        if name is None:
            host.requests.append(route.request.url)
            await route.abort()
            return
        headers = {"Content-Security-Policy": CSP} if name == "sandbox.html" else {}
        body = (FOLDER / name).read_text(encoding="utf-8")
        await route.fulfill(body=body, content_type="text/html", headers=headers)

    async def html() -> str:
        return host.html

    await page.route("**/*", serve)
    await page.expose_function("answerPage", host.answer)
    await page.expose_function("notified", host.notified)
    await page.expose_function("pageHtml", html)
    page.on("pageerror", lambda error: host.complaints.append(str(error)))
    page.on("console", lambda message: _received(host, message))
    yield host
    await page.close()


def _received(host: Host, message: Any) -> None:
    if message.type in ("error", "warning"):
        host.complaints.append(message.text)
