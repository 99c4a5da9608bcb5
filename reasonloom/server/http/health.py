"""Answers a balancer: whether the process lives, and whether it can serve."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse

from reasonloom.contracts.caller import Caller
from reasonloom.errors import ReasonloomError

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer
    from starlette.requests import Request
    from starlette.responses import Response

    from reasonloom.server.engine_lifespan import EngineLifespan

log = logging.getLogger(__name__)
LIVE_PATH = "/healthz"
READY_PATH = "/readyz"
PATIENCE = 3.0
"""Seconds within which whoever asks is answered."""

NOBODY = Caller("")
"""Whose transaction asks whether the database answers: no row is anybody's of no name."""


def serve_health(server: MCPServer, lifespan: EngineLifespan) -> None:
    """Add both pages; they need no token and tell nothing but a word."""
    readiness = Readiness(lifespan)

    async def lives(request: Request) -> Response:
        return JSONResponse({"status": "lives"})

    async def ready(request: Request) -> Response:
        if await readiness.found():
            return JSONResponse({"status": "ready"})
        return JSONResponse({"status": "not ready"}, status_code=503, headers={"retry-after": "1"})

    server.custom_route(LIVE_PATH, methods=["GET"])(lives)
    server.custom_route(READY_PATH, methods=["GET"])(ready)


class Readiness:
    """Whether the database answers; all who ask at once share one look, so that it stays cheap."""

    def __init__(self, lifespan: EngineLifespan) -> None:
        self._lifespan = lifespan
        self._looking: asyncio.Task[bool] | None = None

    async def found(self) -> bool:
        """Return what the look now going on finds, or a new one; False where that takes too long.

        A look that is given up is not waited for: the driver takes seconds to let go of a
        connection to a database that hangs.
        """
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        done, _ = await asyncio.wait({self._looking}, timeout=PATIENCE)
        return any(looked.result() for looked in done)

    async def _look(self) -> bool:
        """Look at the engine, whose opening brings the schema up to date, and at its database."""
        try:
            async with asyncio.timeout(PATIENCE):
                engine = await self._lifespan.engine()
                async with engine.loom.database.begin(NOBODY):
                    return True
        except (ReasonloomError, TimeoutError):
            return False
        except Exception as error:  # noqa: BLE001 - whatever it is, nobody is served
            log.warning("not ready: %s", type(error).__name__)
            return False
