"""Lets pages in browsers ask, if their origin is named: CORS, around everything that answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.middleware.cors import CORSMiddleware

from reasonloom.server.http.hosts import allowed_origins

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from reasonloom.settings import Settings

METHODS = ("GET", "POST", "DELETE")
SENT = (
    "authorization", "content-type", "last-event-id", "mcp-method", "mcp-name",
    "mcp-protocol-version", "mcp-session-id",
)  # fmt: skip
READ = ("mcp-session-id", "retry-after", "www-authenticate")
"""Headers that a page may send, and those of an answer that it may read."""


def open_to_pages(app: ASGIApp, settings: Settings) -> ASGIApp:
    """Return the application as pages of the allowed origins may ask it; tokens stay asked for.

    Raises:
        SettingMistake: an allowed origin is none.
    """
    origins = [str(each) for each in allowed_origins(settings)]
    if not origins:
        return app
    return CORSMiddleware(
        app,
        allow_origins=origins,
        allow_methods=METHODS,
        allow_headers=SENT,
        expose_headers=READ,
        allow_private_network=True,
    )
