"""Health pages for a load balancer: liveness and readiness."""

import asyncio
import logging

from mcp.server.mcpserver import MCPServer
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from reasonloom.contracts.caller import Caller
from reasonloom.errors import ReasonloomError
from reasonloom.server.engine_lifespan import EngineLifespan

log = logging.getLogger(__name__)
LIVE_PATH = "/healthz"
READY_PATH = "/readyz"
PATIENCE = 3.0
"""Maximum seconds until a request is answered."""

NOBODY = Caller("")
"""The owner of the probing transaction, who can see no row."""


def serve_health(server: MCPServer, lifespan: EngineLifespan) -> None:
    """Add both pages, which require no token and return only a status."""
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
    """Whether the database answers; concurrent requests share one probe."""

    def __init__(self, lifespan: EngineLifespan) -> None:
        self._lifespan = lifespan
        self._probe: asyncio.Task[bool] | None = None

    async def found(self) -> bool:
        """Return the result of the running probe, or of a new one; False if it takes too long.

        An abandoned probe is not awaited: the driver takes seconds to release a connection to a
        hanging database.
        """
        if self._probe is None or self._probe.done():
            self._probe = asyncio.create_task(self._run_probe())
        done, _ = await asyncio.wait({self._probe}, timeout=PATIENCE)
        return any(task.result() for task in done)

    async def _run_probe(self) -> bool:
        """Probe the engine, which migrates the schema when opened, and its database."""
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
