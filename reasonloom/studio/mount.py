"""Mounts the studio on the HTTP server: one address, one engine, the same callers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.studio.app import make_studio
from reasonloom.studio.page_context import BASE_PATH


class Mounted:
    """ASGI application that routes paths below `/studio` to the studio, others to the server.

    `/` redirects to the studio.
    """

    def __init__(self, server: ASGIApp, studio: ASGIApp) -> None:
        self._server = server
        self._studio = studio

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request; the lifespan runs in both."""
        if scope["type"] == "lifespan":
            async with alive(self._studio):
                await self._server(scope, receive, send)
            return
        path = scope["path"]
        if scope["type"] == "http" and path == "/":
            await RedirectResponse(f"{BASE_PATH}/")(scope, receive, send)
            return
        ours = path == BASE_PATH or path.startswith(f"{BASE_PATH}/")
        await (self._studio if ours else self._server)(scope, receive, send)


@asynccontextmanager
async def alive(app: ASGIApp) -> AsyncIterator[None]:
    """Run an ASGI application's lifespan; RuntimeError if it fails to start."""
    events: asyncio.Queue[Message] = asyncio.Queue()
    replies: asyncio.Queue[Message] = asyncio.Queue()
    scope: Scope = {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}
    task = asyncio.ensure_future(app(scope, events.get, replies.put))
    await events.put({"type": "lifespan.startup"})
    first = await replies.get()
    if first["type"] != "lifespan.startup.complete":
        raise RuntimeError(first.get("message", "the studio did not start"))
    try:
        yield
    finally:
        await events.put({"type": "lifespan.shutdown"})
        await task


def with_studio(server: ASGIApp, lifespan: EngineLifespan, host: str) -> ASGIApp:
    """Return the server with the studio mounted.

    Raises:
        SettingMistake: the extra `studio` is not installed.
    """
    return Mounted(server, make_studio(lifespan, host))
