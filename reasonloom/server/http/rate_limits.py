"""Limits each caller's requests: so many at once, and so many a minute, counted by owner."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reasonloom.server.auth.access_principal import token_in
from reasonloom.server.http.refusals import too_much

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from reasonloom.settings import Settings

MINUTE = 60.0
MOST_IDLE = 1_000
"""Callers that are remembered before those who have been quiet for a minute are forgotten."""


@dataclass
class Use:
    """What one caller does now: requests in flight, and those left in the bucket at a moment."""

    left: float
    at: float
    in_flight: int = 0


class Limited:
    """ASGI middleware that refuses at once what is beyond a caller's limits."""

    def __init__(
        self, app: ASGIApp, settings: Settings, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._app = app
        self._most = settings.caller_concurrency
        self._rate = settings.caller_requests_per_minute
        self._clock = clock
        self._uses: dict[str, Use] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it; who has proved nothing is not counted."""
        token = token_in(scope)
        if token is None:
            await self._app(scope, receive, send)
            return
        use = self._use(str(token.subject))
        if use.in_flight >= self._most:
            said = f"Too many requests at once: at most {self._most} of one caller; try again"
            await too_much(said, 1)(scope, receive, send)
            return
        if use.left < 1:
            said = f"Too many requests: at most {self._rate} a minute of one caller; try again"
            await too_much(said, (1 - use.left) * MINUTE / self._rate)(scope, receive, send)
            return
        use.left -= 1
        use.in_flight += 1
        try:
            await self._app(scope, receive, send)
        finally:
            use.in_flight -= 1

    def _use(self, owner: str) -> Use:
        """Return a caller's use, the bucket filled up to now."""
        now = self._clock()
        if len(self._uses) > MOST_IDLE:
            self._uses = {
                each: use
                for each, use in self._uses.items()
                if use.in_flight or now - use.at < MINUTE
            }
        use = self._uses.setdefault(owner, Use(float(self._rate), now))
        use.left = min(float(self._rate), use.left + (now - use.at) * self._rate / MINUTE)
        use.at = now
        return use
