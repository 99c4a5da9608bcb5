"""Answers a balancer: whether the process lives, and whether it can serve."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse

from reasonloom.contracts.caller import Caller
from reasonloom.errors import ReasonloomError

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer
    from starlette.requests import Request
    from starlette.responses import Response

    from reasonloom.server.room import EngineRoom

LIVES = "/healthz"
READY = "/readyz"
PATIENCE = 3.0
"""Seconds that the database is given to answer."""

NOBODY = Caller("")
"""Whose transaction asks whether the database answers: no row is anybody's of no name."""


def serve_health(server: MCPServer, room: EngineRoom) -> None:
    """Add both pages; they need no token and tell nothing but a word."""
    readiness = Readiness(room)

    async def lives(request: Request) -> Response:
        return JSONResponse({"status": "lives"})

    async def ready(request: Request) -> Response:
        if await readiness.found():
            return JSONResponse({"status": "ready"})
        return JSONResponse({"status": "not ready"}, status_code=503, headers={"retry-after": "1"})

    server.custom_route(LIVES, methods=["GET"])(lives)
    server.custom_route(READY, methods=["GET"])(ready)


class Readiness:
    """Whether the database answers; all who ask at once share one look, so that it stays cheap."""

    def __init__(self, room: EngineRoom) -> None:
        self._room = room
        self._looking: asyncio.Task[bool] | None = None

    async def found(self) -> bool:
        """Return what the look now going on finds, or a new one."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        return await asyncio.shield(self._looking)

    async def _look(self) -> bool:
        """Look at the engine, whose opening brings the schema up to date, and at its database."""
        try:
            async with asyncio.timeout(PATIENCE):
                engine = await self._room.engine()
                async with engine.loom.database.begin(NOBODY):
                    return True
        except (ReasonloomError, TimeoutError):
            return False
