"""Limits each caller's concurrent requests and requests per minute, by owner."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from mcp_types import INVALID_REQUEST
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from reasonloom.server.auth.principal import token_of_scope
from reasonloom.server.json_rpc import error_body
from reasonloom.settings import Settings

TRY_LATER = -32_000
"""The first server-defined JSON-RPC code: the same request may succeed later."""


def too_many_requests(message: str, seconds: float) -> Response:
    """Return a 429 with the seconds after which to retry."""
    wait = max(1, math.ceil(seconds))
    body = error_body(None, TRY_LATER, message, retryable=True, retryAfter=wait)
    return JSONResponse(body, status_code=429, headers={"retry-after": str(wait)})


def too_large(identifier: int | str | None, message: str) -> Response:
    """Return a 413 as a JSON-RPC error."""
    body = error_body(identifier, INVALID_REQUEST, f"Invalid request: {message}")
    return JSONResponse(body, status_code=413)


def service_unavailable(message: str) -> Response:
    """Return a 503 for a token that cannot be verified now."""
    body = {"error": "temporarily_unavailable", "error_description": message}
    return JSONResponse(body, status_code=503, headers={"retry-after": "5"})


def insufficient_scope(scope: str, metadata: str | None) -> Response:
    """Return a 403 that names the required scope (RFC 6750, 3.1)."""
    reason = f"this needs the scope {scope}"
    parts = ['error="insufficient_scope"', f'scope="{scope}"', f'error_description="{reason}"']
    if metadata:
        parts.append(f'resource_metadata="{metadata}"')
    body = {"error": "insufficient_scope", "error_description": reason, "scope": scope}
    headers = {"www-authenticate": f"Bearer {', '.join(parts)}"}
    return JSONResponse(body, status_code=403, headers=headers)


MINUTE = 60.0
MAX_IDLE_CALLERS = 1_000
"""Tracked callers above which those idle for a minute are dropped."""


@dataclass
class CallerUse:
    """One caller's requests in flight, and the tokens left in its bucket at time `at`."""

    left: float
    at: float
    in_flight: int = 0


class RateLimits:
    """ASGI middleware that refuses requests beyond a caller's limits."""

    def __init__(
        self, app: ASGIApp, settings: Settings, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._app = app
        self._most = settings.caller_concurrency
        self._rate = settings.caller_requests_per_minute
        self._clock = clock
        self._uses: dict[str, CallerUse] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, or refuse it; requests without a token are not counted."""
        token = token_of_scope(scope)
        if token is None:
            await self._app(scope, receive, send)
            return
        use = self._use(str(token.subject))
        if use.in_flight >= self._most:
            reason = f"Too many requests at once: at most {self._most} of one caller; try again"
            await too_many_requests(reason, 1)(scope, receive, send)
            return
        if use.left < 1:
            reason = f"Too many requests: at most {self._rate} a minute of one caller; try again"
            await too_many_requests(reason, (1 - use.left) * MINUTE / self._rate)(
                scope, receive, send
            )
            return
        use.left -= 1
        use.in_flight += 1
        try:
            await self._app(scope, receive, send)
        finally:
            use.in_flight -= 1

    def _use(self, owner: str) -> CallerUse:
        """Return a caller's use, with the bucket refilled."""
        now = self._clock()
        if len(self._uses) > MAX_IDLE_CALLERS:
            self._uses = {
                each: use
                for each, use in self._uses.items()
                if use.in_flight or now - use.at < MINUTE
            }
        use = self._uses.setdefault(owner, CallerUse(float(self._rate), now))
        use.left = min(float(self._rate), use.left + (now - use.at) * self._rate / MINUTE)
        use.at = now
        return use
