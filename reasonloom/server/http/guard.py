"""Requires tokens with the SDK's middleware, and publishes where clients obtain them."""

from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import urlsplit

from mcp.server.auth.handlers.metadata import ProtectedResourceMetadataHandler
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend, RequireAuthMiddleware
from mcp.server.auth.routes import build_resource_metadata_url
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import ProtectedResourceMetadata
from pydantic import AnyHttpUrl
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from reasonloom.contracts.base import Request
from reasonloom.server.auth.principal import token_of_scope
from reasonloom.server.auth.scopes import OFFERED_SCOPES, allows
from reasonloom.server.auth.verifier import Verifier
from reasonloom.server.http.fair_share import FairShare
from reasonloom.server.http.rate_limits import (
    RateLimits,
    insufficient_scope,
    service_unavailable,
    too_large,
)
from reasonloom.server.http.request_sizes import LEAST_BYTES, most_bytes
from reasonloom.settings import Settings

MAX_HANDSHAKE_BYTES = 65_536
"""Maximum bytes of `initialize`, which stays in memory as long as its session."""


def metadata_url(settings: Settings) -> str | None:
    """Return the URL of this resource's metadata (RFC 9728), None without an issuer.

    MCP requires an authorization server in the metadata, so static tokens alone have none.
    """
    if not settings.oauth_issuer:
        return None
    return str(build_resource_metadata_url(AnyHttpUrl(str(settings.public_url))))


def serve_metadata(server: MCPServer, settings: Settings) -> None:
    """Add the metadata page at its RFC 9728 path and at the path-less well-known one."""
    url = metadata_url(settings)
    if url is None:
        return
    metadata = ProtectedResourceMetadata.model_validate(
        {
            "resource": settings.public_url,
            "authorization_servers": [settings.oauth_issuer],
            "scopes_supported": list(OFFERED_SCOPES),
            "resource_name": "reasonloom",
        }
    )
    handler = ProtectedResourceMetadataHandler(metadata)
    for path in _metadata_paths(url):
        server.custom_route(path, methods=["GET"])(handler.handle)


def _metadata_paths(url: str) -> list[str]:
    return sorted({urlsplit(url).path, "/.well-known/oauth-protected-resource"})


class AuthMiddleware:
    """ASGI middleware that requires a valid token and limits rates on all but the open pages."""

    def __init__(
        self,
        app: ASGIApp,
        behind: ASGIApp,
        verifier: Verifier,
        settings: Settings,
        pages: Collection[str],
    ) -> None:
        """Serve the open `pages` from `app`; `behind` is the application that requires a token."""
        url = metadata_url(settings)
        self._open = {*pages, *(_metadata_paths(url) if url else ())}
        self._app = app
        known = RequireAuthMiddleware(
            RateLimits(FairShare(behind), settings), [], AnyHttpUrl(url) if url else None
        )
        self._guarded = AuthenticationMiddleware(
            AuthContextMiddleware(known), backend=BearerAuthBackend(verifier), on_error=_unavailable
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on open or authenticated requests."""
        is_open = scope["type"] == "lifespan" or scope.get("path") in self._open
        await (self._app if is_open else self._guarded)(scope, receive, send)


def _unavailable(connection: HTTPConnection, error: Exception) -> Response:
    return service_unavailable(str(error))


class ScopeGate:
    """Refuses messages that a caller may not send, before they are processed.

    These are calls of tools that the token does not allow, and oversized handshakes and calls.
    """

    def __init__(
        self, needed: Mapping[str, str], requests: Mapping[str, type[Request]], settings: Settings
    ) -> None:
        """Store the scope required by each tool, and the request model of its arguments."""
        self._needed = needed
        self._requests = requests
        self._metadata = metadata_url(settings)

    @property
    def tools(self) -> Collection[str]:
        """The names of the tools that are served."""
        return self._requests

    def refusal(self, scope: Scope, message: Mapping[str, Any], size: int) -> Response | None:
        """Return the refusal of a message of `size` bytes, None if it may pass."""
        token = token_of_scope(scope)
        if token is None and size <= MAX_HANDSHAKE_BYTES:
            return None
        name = str((message.get("params") or {}).get("name"))
        if reason := self._too_large(message.get("method"), name, size):
            return too_large(message.get("id"), reason)
        if token is None or message.get("method") != "tools/call":
            return None
        needed = self._needed.get(name)
        if needed is None or allows(token.scopes, needed):
            return None
        return insufficient_scope(needed, self._metadata)

    def _too_large(self, method: str | None, name: str, size: int) -> str | None:
        if method == "initialize" and size > MAX_HANDSHAKE_BYTES:
            return f"initialize has at most {MAX_HANDSHAKE_BYTES} bytes"
        most = most_bytes(self._requests.get(name)) if size > LEAST_BYTES else size
        if method == "tools/call" and size > most:
            return f"a call of {name[:100]} has at most {most} bytes"
        return None
