"""The studio as one ASGI application, standalone or mounted on the HTTP server."""

from collections.abc import Callable
from importlib import resources
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from reasonloom.errors import SettingMistake
from reasonloom.server.auth.verifier import make_verifier
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.server.http.hosts import allowed_names, is_loopback
from reasonloom.server.http.serving import parse_address, serve_app
from reasonloom.server.http.sockets import listening_sockets
from reasonloom.settings import Settings
from reasonloom.studio.auth.guard import LIBRARY, Guard, not_found
from reasonloom.studio.page_context import BASE_PATH

STUDIO_UNAVAILABLE = 30.0
"""Seconds that a page may be disconnected before it is reloaded."""

MISSING = "the studio needs its extra: pip install 'reasonloom[studio]'"


def make_studio(lifespan: EngineLifespan, host: str) -> ASGIApp:
    """Return the application that serves every page below `/studio`.

    The library registers pages in global state, so a process can have only one studio.

    Raises:
        SettingMistake: the extra is not installed, or the access settings are invalid.
    """
    try:
        from fastapi import FastAPI
        from fastapi.middleware.gzip import GZipMiddleware
        from nicegui import __version__, app, ui
    except ImportError:
        raise SettingMistake(MISSING, field="studio") from None
    from reasonloom.studio.evals.eval_pages import REPORT
    from reasonloom.studio.evals.reports import Reports
    from reasonloom.studio.exports import EXPORT, Exports
    from reasonloom.studio.frame import register
    from reasonloom.studio.registry import PAGES

    static = resources.files("reasonloom.studio").joinpath("static")
    app.add_static_files("/assets", str(static))
    drawings = resources.files("reasonloom.server.apps").joinpath("drawing")
    app.add_static_files("/drawing", str(drawings))
    ui.add_head_html(_head(), shared=True)
    app.add_route(REPORT, Reports(lifespan).answer)
    app.add_route(EXPORT, Exports(lifespan).answer)
    missing_page: Any = app.exception_handlers[404]

    async def missing(request: Request, error: Exception) -> Response:
        path = request.url.path.removeprefix(BASE_PATH)
        return not_found() if path.startswith(LIBRARY) else await missing_page(request, error)

    app.add_exception_handler(404, missing)
    for page in PAGES:
        register(page, PAGES, lifespan)
    studio = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    ui.run_with(
        studio,
        title="reasonloom",
        mount_path=BASE_PATH,
        dark=None,
        language="en-US",
        show_welcome_message=False,
        reconnect_timeout=STUDIO_UNAVAILABLE,
        # Compressing responses that do not leave the machine would only take time.
        gzip_middleware_factory=None if is_loopback(host) else GZipMiddleware,
        tailwind=False,
    )
    settings = lifespan.settings
    names, verifier = allowed_names(settings, host), make_verifier(settings)
    return Guard(studio, BASE_PATH, names, verifier, __version__)


def _head() -> str:
    return (
        f'<link rel="stylesheet" href="{BASE_PATH}/drawing/drawing.css">'
        f'<link rel="stylesheet" href="{BASE_PATH}/assets/studio.css">'
        f'<script type="module" src="{BASE_PATH}/drawing/all.js"></script>'
        f'<script defer src="{BASE_PATH}/assets/studio.js"></script>'
    )


async def serve_studio(settings: Settings, address: str, tell: Callable[[str], None]) -> None:
    """Serve at `http://HOST:PORT/studio/` until the process is asked to end.

    It neither resumes runs nor does maintenance; those are left to a server.

    Raises:
        SettingMistake: the address or the access settings are invalid.
    """
    host, port = parse_address(address, authenticated=make_verifier(settings) is not None)
    with listening_sockets(host, port) as sockets:
        async with EngineLifespan(settings, recover=False) as lifespan:
            app = make_studio(lifespan, host)
            lifespan.warm_up()
            name = f"[{host}]" if ":" in host else host
            tell(f"reasonloom studio: http://{name}:{port}{BASE_PATH}/ (Ctrl+C stops it)")
            await serve_app(app, sockets, lifespan.leave, settings.trusted_proxies)
