"""Pages for operators: liveness and readiness for a load balancer, metrics for Prometheus."""

import asyncio
import logging

from mcp.server.mcpserver import MCPServer
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from reasonloom.contracts.caller import Caller
from reasonloom.errors import ReasonloomError
from reasonloom.server.auth.principal import token_of_scope
from reasonloom.server.auth.scopes import METRICS
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.server.http.guard import metadata_url
from reasonloom.server.http.rate_limits import insufficient_scope
from reasonloom.server.telemetry.start import MISSING_EXTRA, is_scraped
from reasonloom.settings import Settings
from reasonloom.stores.database import Database

log = logging.getLogger(__name__)
LIVE_PATH = "/healthz"
READY_PATH = "/readyz"
METRICS_PATH = "/metrics"
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
                return [part async for part in engine.loom.database.on_each(_probe)] != []
        except (ReasonloomError, TimeoutError):
            return False
        except Exception as error:  # noqa: BLE001 - whatever it is, nobody is served
            log.warning("not ready: %s", type(error).__name__)
            return False


async def _probe(part: Database) -> None:
    async with part.begin(NOBODY):
        pass


def serve_metrics(server: MCPServer, settings: Settings) -> None:
    """Add the page of metrics, the same that OTLP exports.

    Where callers are authenticated, it requires a token with the scope `metrics`.
    """

    async def metrics(request: Request) -> Response:
        token = token_of_scope(request.scope)
        if token is not None and METRICS not in token.scopes:
            return insufficient_scope(METRICS, metadata_url(settings))
        if not is_scraped():
            return PlainTextResponse(f"There are no metrics: {MISSING_EXTRA}\n", 404)
        from prometheus_client.exposition import choose_encoder
        from prometheus_client.registry import REGISTRY

        encode, kind = choose_encoder(request.headers.get("accept", ""))
        text = await asyncio.to_thread(encode, REGISTRY)
        return Response(text, headers={"content-type": kind})

    server.custom_route(METRICS_PATH, methods=["GET"])(metrics)
