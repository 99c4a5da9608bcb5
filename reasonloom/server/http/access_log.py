"""The access log: one line per HTTP request, without contents, paths of ids, or tokens."""

import logging
import re
import secrets
import time
from collections.abc import Collection
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reasonloom.server.auth.principal import token_of_scope
from reasonloom.server.names import METHODS, OTHER
from reasonloom.server.protocol_middleware import OUTCOME

log = logging.getLogger("reasonloom.access")
TOOL_CALL = "tools/call"
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
"""Request ids that are accepted from a proxy; any other request gets a new id."""

PATHS = ("mcp", "studio", "healthz", "readyz", "metrics", ".well-known")
CLIENT_CLOSED = 499
"""The status of a request whose client disconnected before the answer, as nginx logs it."""

ENTRY = "reasonloom.access"
"""The key of a request's `Entry` in its ASGI scope."""


@dataclass
class Entry:
    """What is known of a request, filled in while it is handled.

    Attributes:
        method: the MCP method, or the HTTP method and the first part of the path.
        tool: the called tool, None for any other method.
    """

    method: str
    tool: str | None = None


def note_message(scope: Scope, method: object, name: object, tools: Collection[str]) -> None:
    """Add a message's MCP method and tool to its request's entry; unknown names are not logged."""
    entry: Entry | None = scope.get(ENTRY)
    if entry is None:
        return
    entry.method = method if isinstance(method, str) and method in METHODS else OTHER
    if method == TOOL_CALL:
        entry.tool = name if isinstance(name, str) and name in tools else OTHER


class AccessLog:
    """ASGI middleware that logs each request when it ends, and counts the tool calls.

    Probes of the `quiet` paths are logged only if they fail. Each answer gets the header
    `x-request-id`, with the id that the line has.
    """

    def __init__(self, app: ASGIApp, quiet: Collection[str]) -> None:
        self._app = app
        self._quiet = frozenset(quiet)
        self.calls = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request and log it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        entry = scope[ENTRY] = Entry(f"{scope['method']} {_first_part(scope['path'])}")
        given = Headers(scope=scope).get("x-request-id", "")
        identifier = given if REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
        begun, status = time.perf_counter(), CLIENT_CLOSED

        async def named(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["x-request-id"] = identifier
            await send(message)

        try:
            await self._app(scope, receive, named)
        except Exception:
            status = 500
            raise
        finally:
            self.calls += entry.method == TOOL_CALL
            if scope["path"] not in self._quiet or status >= 400:  # noqa: PLR2004 - an error
                _write(scope, entry, status, time.perf_counter() - begun, identifier)


def _first_part(path: str) -> str:
    """Return the first part of a path that is served; what follows may be an id or a name."""
    first, _, rest = path.removeprefix("/").partition("/")
    if first not in PATHS:
        return OTHER
    return f"/{first}/..." if rest else f"/{first}"


def _write(scope: Scope, entry: Entry, status: int, seconds: float, identifier: str) -> None:
    token, client = token_of_scope(scope), scope.get("client")
    fields = {
        "owner": "-" if token is None else str(token.subject),
        "client": client[0] if client else "-",
        "method": entry.method,
        "tool": entry.tool,
        "status": status,
        "outcome": scope.get(OUTCOME),
        "ms": round(seconds * 1000, 1),
        "request": identifier,
    }
    given = {name: value for name, value in fields.items() if value is not None}
    log.info("request", extra={"fields": given})
