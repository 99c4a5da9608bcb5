"""The whole studio as one ASGI application, alone or beside the HTTP server."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

from reasonloom.errors import SettingMistake
from reasonloom.server.auth.verifier import make_verifier
from reasonloom.server.http.hosts import allowed, is_loopback
from reasonloom.studio.auth.guard import Door
from reasonloom.studio.place import BASE

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from reasonloom.server.engine_lifespan import EngineRoom

AWAY = 30.0
"""Seconds that a page may lose its server and go on as it was; later it is loaded anew."""

MISSING = "the studio needs its extra: pip install 'reasonloom[studio]'"


def make_studio(room: EngineRoom, host: str) -> ASGIApp:
    """Return the application that serves every page below `/studio`.

    The library keeps its pages in one place for a process: a process has one studio.

    Raises:
        SettingMistake: the extra is not installed, or the settings of access cannot be used.
    """
    try:
        from fastapi import FastAPI  # noqa: PLC0415 - an extra
        from fastapi.middleware.gzip import GZipMiddleware  # noqa: PLC0415
        from nicegui import app, ui  # noqa: PLC0415
    except ImportError:
        raise SettingMistake(MISSING, field="studio") from None
    from reasonloom.studio.evals.eval_report import REPORT  # noqa: PLC0415
    from reasonloom.studio.evals.reports import Reports  # noqa: PLC0415
    from reasonloom.studio.frame import register  # noqa: PLC0415
    from reasonloom.studio.registry import PAGES  # noqa: PLC0415

    static = resources.files("reasonloom.studio").joinpath("static")
    app.add_static_files("/assets", str(static))
    ui.add_head_html(_head(), shared=True)
    app.add_route(REPORT, Reports(room).answer)
    for page in PAGES:
        register(page, PAGES, room)
    whole = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    ui.run_with(
        whole,
        title="reasonloom",
        mount_path=BASE,
        dark=None,
        language="en-US",
        show_welcome_message=False,
        reconnect_timeout=AWAY,
        # Packing what does not leave the machine would only take time.
        gzip_middleware_factory=None if is_loopback(host) else GZipMiddleware,
        tailwind=False,
    )
    return Door(whole, BASE, allowed(room.settings, host), make_verifier(room.settings))


def _head() -> str:
    return (
        f'<link rel="stylesheet" href="{BASE}/assets/studio.css">'
        f'<script defer src="{BASE}/assets/studio.js"></script>'
    )
