"""The HTTP application: the selected tools at `/mcp`, single references below `/mcp/as`."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager

from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from reasonloom.server.app import build_reference_servers, build_server
from reasonloom.server.auth.token_file import warn_if_writable_by_others
from reasonloom.server.auth.verifier import make_verifier
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.server.http.guard import AuthMiddleware, ScopeGate, serve_metadata
from reasonloom.server.http.health import (
    LIVE_PATH,
    METRICS_PATH,
    READY_PATH,
    serve_health,
    serve_metrics,
)
from reasonloom.server.http.hosts import HostCheck, allowed_names, with_cors
from reasonloom.server.http.request_middleware import RequestMiddleware
from reasonloom.server.http.session_limits import IDLE_SECONDS, SessionLimits
from reasonloom.server.json_rpc import MAX_MESSAGE_BYTES
from reasonloom.server.loom_server import LoomServer

PATH = "/mcp"
REFERENCES = f"{PATH}/as"
METHODS = ("GET", "POST", "DELETE")
NO_SDK_CHECK = TransportSecuritySettings(enable_dns_rebinding_protection=False)
"""Disables the SDK's own check, which compares host prefixes; `HostCheck` compares whole names."""


def make_app(lifespan: EngineLifespan, host: str) -> ASGIApp:
    """Return the whole application.

    Raises:
        SettingMistake: the authorization settings are invalid.
    """
    settings = lifespan.settings
    names = allowed_names(settings, host)
    servers = _servers(lifespan)
    app = _combined(
        server.streamable_http_app(
            streamable_http_path=path,
            host=host,
            max_request_body_size=MAX_MESSAGE_BYTES,
            stateless_http=settings.stateless,
            session_idle_timeout=IDLE_SECONDS,
            transport_security=NO_SDK_CHECK,
        )
        for path, server in servers.items()
    )
    gates = {
        path: ScopeGate(server.needed, server.requests, settings)
        for path, server in servers.items()
    }
    counted = app if settings.stateless else SessionLimits(app, settings)
    mended = RequestMiddleware(counted, gates)
    verifier = make_verifier(settings)
    if settings.tokens:
        warn_if_writable_by_others(settings.tokens)
    proven = (
        AuthMiddleware(app, mended, verifier, settings, (LIVE_PATH, READY_PATH))
        if verifier
        else mended
    )
    # Without a token, a page in a browser could read the metrics by a host name of its own.
    checked = (PATH,) if verifier else (PATH, METRICS_PATH)
    return with_cors(HostCheck(proven, names, checked), settings)


def _servers(lifespan: EngineLifespan) -> dict[str, LoomServer]:
    """Return the servers by path; the first also serves pages of health, metrics and metadata."""
    server = build_server(lifespan)
    serve_health(server, lifespan)
    serve_metrics(server, lifespan.settings)
    serve_metadata(server, lifespan.settings)
    references = build_reference_servers(lifespan)
    return {PATH: server, **{f"{REFERENCES}/{name}": each for name, each in references.items()}}


def _combined(apps: Iterable[Starlette]) -> Starlette:
    """Return one application with the routes and lifespans of all."""
    parts = list(apps)

    @asynccontextmanager
    async def alive(app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for part in parts:
                await stack.enter_async_context(part.router.lifespan_context(part))
            yield

    routes = [route for part in parts for route in part.routes]
    missing = Route(f"{REFERENCES}/{{name:path}}", _unknown_reference(routes), methods=METHODS)
    return Starlette(routes=[*routes, missing], lifespan=alive)


def _unknown_reference(routes: Iterable[BaseRoute]) -> Callable[[Request], Response]:
    """Return the handler for unknown references, which lists the known ones."""
    paths = [route.path for route in routes if isinstance(route, Route)]
    names = [path.removeprefix(f"{REFERENCES}/") for path in paths if path.startswith(REFERENCES)]

    def missing(request: Request) -> Response:
        hint = f"known: {', '.join(names)}" if names else "none is served next to /mcp"
        return JSONResponse({"error": f"No such reference is served here; {hint}"}, 404)

    return missing
