"""Serves over streamable HTTP, on loopback only unless callers are authenticated."""

import asyncio
import logging
import signal
import socket
import time
from collections.abc import Callable, Sequence
from types import FrameType

import anyio
from starlette.types import ASGIApp

from reasonloom.errors import SettingMistake
from reasonloom.server.auth.verifier import make_verifier
from reasonloom.server.engine_lifespan import AFTER_SIGNAL, EngineLifespan, exit_within
from reasonloom.server.http.access_log import AccessLog
from reasonloom.server.http.app import PATH, make_app
from reasonloom.server.http.health import LIVE_PATH, METRICS_PATH, READY_PATH
from reasonloom.server.http.heavy_calls.lane import HeavyLane
from reasonloom.server.http.hosts import is_loopback
from reasonloom.server.http.sockets import BACKLOG, listening_sockets
from reasonloom.server.telemetry.start import is_scraped
from reasonloom.settings import Settings

log = logging.getLogger(__name__)
SERVER_LOG = "uvicorn.error"
CUT = "Exception in ASGI application"
ENDED = "Cancel %s running task(s)"
"""The start of uvicorn's messages about a failed request, and about tasks not ending in time."""


def lower(record: logging.LogRecord) -> bool:
    """Log a request cancelled by shutdown at level `info`, without a traceback."""
    words = str(record.msg)
    error = record.exc_info[1] if record.exc_info else None
    cut = words.startswith(CUT) and isinstance(error, asyncio.CancelledError)
    if cut or words.startswith(ENDED):
        record.levelno, record.levelname = logging.INFO, logging.getLevelName(logging.INFO)
        record.exc_info = record.exc_text = None
    if cut:
        record.msg = "a request is interrupted by the server's shutdown"
    return True


def expect_shutdown() -> None:
    """Treat cancellations as caused by shutdown from now on."""
    logging.getLogger(SERVER_LOG).addFilter(lower)


LARGEST_PORT = 65_535
GRACEFUL_SECONDS = 2
"""Seconds that open calls and streams have after a signal."""


def parse_address(address: str, *, authenticated: bool = False) -> tuple[str, int]:
    """Return host and port of `HOST:PORT`; `authenticated` means that callers are authenticated.

    Raises:
        SettingMistake: the form is invalid, or other machines could reach the host
            unauthenticated.
    """
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    if not host or not (port.isascii() and port.isdigit()) or int(port) > LARGEST_PORT:
        raise SettingMistake("--http: must be HOST:PORT, such as 127.0.0.1:8321", field="--http")
    if not authenticated and not is_loopback(host):
        raise SettingMistake(
            "--http: only a loopback address (127.0.0.1, ::1 or localhost) is served without "
            "authentication; set REASONLOOM_TOKENS or REASONLOOM_OAUTH_ISSUER",
            field="--http",
        )
    return host, int(port)


MOUNTED = "/studio/"
"""Where the mounted pages are."""


async def serve_http(
    settings: Settings,
    address: str,
    mount: Callable[[ASGIApp, EngineLifespan, str], ASGIApp] | None = None,
) -> None:
    """Serve at `http://HOST:PORT/mcp` until the process receives a termination signal.

    `mount` wraps the application, given the same lifespan and host.

    Raises:
        SettingMistake: the address or the authorization settings are unusable.
    """
    authenticated = make_verifier(settings) is not None
    host, port = parse_address(address, authenticated=authenticated)
    with listening_sockets(host, port) as sockets:
        async with EngineLifespan(settings) as lifespan:
            if authenticated:  # otherwise all callers are one owner
                lifespan.heavy = HeavyLane(settings)
            app = make_app(lifespan, host)
            lifespan.warm_up()
            counted = AccessLog(
                mount(app, lifespan, host) if mount else app, (LIVE_PATH, READY_PATH, METRICS_PATH)
            )
            begun = time.monotonic()
            pages = {"pages": MOUNTED} if mount else {}
            fields = _description(settings, host, sockets) | pages
            log.info("serving", extra={"fields": fields})
            await serve_app(counted, sockets, lifespan.leave, settings.trusted_proxies)
            seconds = round(time.monotonic() - begun, 1)
            log.info("stopped", extra={"fields": {"seconds": seconds, "calls": counted.calls}})


def _description(
    settings: Settings, host: str, sockets: Sequence[socket.socket]
) -> dict[str, object]:
    """Return what a server says of itself at its start; no secret is in it."""
    from reasonloom.llm.from_settings import chosen
    from reasonloom.stores.access import location

    port = sockets[0].getsockname()[1]
    ways = {"tokens": settings.tokens, "oauth": settings.oauth_issuer}
    return {
        "url": f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}",
        "auth": "+".join(name for name, given in ways.items() if given) or "none",
        "database": location(settings),
        "llm": settings.llm or chosen(settings),
        "metrics": METRICS_PATH if is_scraped() else "none, without the extra otel",
    }


async def serve_app(
    app: ASGIApp,
    sockets: list[socket.socket],
    at_end: Callable[[], None],
    proxies: Sequence[str] = (),
) -> None:
    """Serve an application on listening sockets until the process receives a termination signal.

    `at_end` is called on the signal, before calls in progress are cancelled. `proxies` are the
    addresses and networks whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed.
    """
    import uvicorn
    from sse_starlette.sse import AppStatus

    from reasonloom.server.http.connections import throttle_accept_errors, uvicorn_limits

    # Otherwise every stream is cut at the signal, and open calls lose their grace period.
    AppStatus.disable_automatic_graceful_drain()  # type: ignore[no-untyped-call]

    class Server(uvicorn.Server):
        """A server that exits even if a thread hangs."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            for each in sockets or ():
                each.listen(BACKLOG)  # asyncio set it to its small accept batch

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            exit_within(AFTER_SIGNAL)
            expect_shutdown()
            at_end()
            super().handle_exit(sig, frame)

    config = uvicorn.Config(
        app,
        log_level="warning",
        log_config=None,  # otherwise uvicorn logs by itself, with raw tracebacks
        lifespan="on",
        forwarded_allow_ips=list(proxies),
        timeout_graceful_shutdown=GRACEFUL_SECONDS,
        **uvicorn_limits(),
    )
    throttle_accept_errors()
    # uvicorn re-raises the signal that ended it: without a receiver, that would kill the process
    # before the engine is closed and pending writes are flushed.
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT):
        await Server(config).serve(sockets)
