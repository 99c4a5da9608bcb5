"""The SDK's client kept open for a whole module, used from tests that are not coroutines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp_types import TextResourceContents


class Held:
    """One open client, and the thread whose loop it lives in."""

    def __init__(self, client: Client, portal: BlockingPortal) -> None:
        self.client = client
        self._portal = portal

    def tools(self) -> list[Any]:
        """Return the tools as listed."""
        return list(self._portal.call(self.client.list_tools).tools)

    def call(
        self, tool: str, arguments: dict[str, Any], *, meta: dict[str, Any] | None = None
    ) -> Any:
        """Call a tool; return the SDK's result."""

        async def ask() -> Any:
            return await self.client.call_tool(tool, arguments, meta=meta)  # type: ignore[arg-type]

        return self._portal.call(ask)

    def followed(self, tool: str, arguments: dict[str, Any]) -> tuple[Any, list[Any]]:
        """Call a tool; return its result and what was reported of its progress."""
        reports: list[Any] = []

        async def note(progress: float, total: float | None, message: str | None) -> None:
            reports.append((progress, total, message))

        async def ask() -> Any:
            return await self.client.call_tool(tool, arguments, progress_callback=note)

        return self._portal.call(ask), reports

    def resources(self) -> list[Any]:
        """Return the resources as listed."""
        return list(self._portal.call(self.client.list_resources).resources)

    def templates(self) -> list[Any]:
        """Return the templates of resources."""
        return list(self._portal.call(self.client.list_resource_templates).resource_templates)

    def read(self, uri: str) -> Any:
        """Read a resource; return its only content, raise what the SDK raises."""
        (content,) = self._portal.call(self.client.read_resource, uri).contents
        return content

    def data(self, uri: str) -> Any:
        """Read a resource; return what it holds for programs, as JSON."""
        contents = self._portal.call(self.client.read_resource, uri).contents
        (told,) = [each.text for each in contents
                   if isinstance(each, TextResourceContents)
                   and each.mime_type == "application/json"]  # fmt: skip
        return json.loads(told)

    def ping(self) -> None:
        """Ping the server (handshake revisions have it)."""
        self._portal.call(self.client.send_ping)


@contextmanager
def held(server: StdioServerParameters | str, mode: str) -> Iterator[Held]:
    """Yield a client of a server that is started by it (stdio) or listens (URL)."""
    with start_blocking_portal() as portal:
        client = Client(server, mode=mode)
        with portal.wrap_async_context_manager(client):
            yield Held(client, portal)
