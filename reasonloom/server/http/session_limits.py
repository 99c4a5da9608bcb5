"""Limits the open sessions of each caller, since each holds its handshake in memory.

A client that does not end its sessions is not locked out: the longest-idle one is ended to make
room, and its client starts a new one, as after any 404.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import principal_components
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reasonloom.server.auth.principal import token_of_scope
from reasonloom.server.http.rate_limits import too_many_requests
from reasonloom.settings import Settings

IDLE_SECONDS = 30 * 60.0
"""Idle seconds after which the SDK ends a session."""

SESSION, VERSION = "mcp-session-id", "mcp-protocol-version"
REFUSED, GONE = 400, 404


@dataclass(eq=False)
class Session:
    """A session: its owner, its path, and its requests in flight."""

    owner: str | None
    path: str
    user: Any
    clock: Callable[[], float]
    in_flight: int = 0
    since: float = 0.0

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Mark the session as busy during a request."""
        self.in_flight += 1
        try:
            yield
        finally:
            self.in_flight -= 1
            self.since = self.clock()


class SessionLimits:
    """ASGI middleware that counts sessions by owner; unauthenticated callers are one owner."""

    def __init__(
        self, app: ASGIApp, settings: Settings, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._app = app
        self._most = settings.caller_sessions
        self._clock = clock
        self._open: dict[str, Session] = {}
        self._opening: list[Session] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request; a new session beyond the limit ends an idle one first."""
        headers = Headers(scope=scope) if scope["type"] == "http" else Headers()
        identifier = headers.get(SESSION, "")
        if self._is_own(identifier, scope):
            await self._within(identifier, scope, receive, send)
        elif scope["type"] == "http" and opens_session(scope["method"], headers):
            await self._begin(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _is_own(self, identifier: str, scope: Scope) -> bool:
        """Return whether a request belongs to an open session: same path and same principal.

        The SDK refuses any other request.
        """
        session = self._open.get(identifier)
        if session is None or session.path != scope["path"]:
            return False
        return _principal(session.user) == _principal(scope.get("user"))

    async def _within(self, identifier: str, scope: Scope, receive: Receive, send: Send) -> None:
        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start" and _ended(scope, message["status"]):
                self._open.pop(identifier, None)
            await send(message)

        with self._open[identifier].busy():
            await self._app(scope, receive, watched)

    async def _begin(self, scope: Scope, receive: Receive, send: Send) -> None:
        token = token_of_scope(scope)
        owner = str(token.subject) if token else None
        if not await self._make_room(owner, scope):
            reason = f"Too many open sessions: at most {self._most} of one caller, and none is idle"
            await too_many_requests(reason, 1)(scope, receive, send)
            return
        session = Session(owner, scope["path"], scope.get("user"), self._clock)
        self._opening.append(session)

        async def named(message: Message) -> None:
            if identifier := _opened(message):
                self._open[identifier] = session
                self._opening.remove(session)
            await send(message)

        try:
            with session.busy():
                await self._app(scope, receive, named)
        finally:
            if session in self._opening:
                self._opening.remove(session)

    async def _make_room(self, owner: str | None, scope: Scope) -> bool:
        """Return whether the owner may open a session, after ending an idle one if needed."""
        self._forget_ended()
        own = {key: each for key, each in self._open.items() if each.owner == owner}
        opening = sum(each.owner == owner for each in self._opening)
        if len(own) + opening < self._most:
            return True
        idle = [key for key, each in own.items() if not each.in_flight]
        if not idle:
            return False
        longest = min(idle, key=lambda key: own[key].since)
        await self._end(longest, self._open.pop(longest), scope)
        return True

    def _forget_ended(self) -> None:
        """Drop sessions that the SDK has ended as idle."""
        idle_from = self._clock() - IDLE_SECONDS
        ended = [
            key for key, each in self._open.items() if not each.in_flight and each.since < idle_from
        ]
        for key in ended:
            del self._open[key]

    async def _end(self, identifier: str, session: Session, scope: Scope) -> None:
        """End a session as its own client would, with a DELETE by the same principal."""
        hosts = [each for each in scope["headers"] if each[0] == b"host"]
        headers = [*hosts, (SESSION.encode(), identifier.encode())]
        user = {} if session.user is None else {"user": session.user}
        path = {"path": session.path, "raw_path": session.path.encode()}
        request = {**scope, **path, **user, "method": "DELETE", "headers": headers}
        await self._app(request, _empty_body, discard)


def _principal(user: Any) -> tuple[str | None, ...]:
    """Return the principal as the SDK computes it; empty if unauthenticated."""
    return principal_components(user.access_token) if isinstance(user, AuthenticatedUser) else ()


def opens_session(method: str, headers: Headers) -> bool:
    """Return whether a request can open a session; newer protocol revisions have no sessions."""
    return (
        method == "POST"
        and SESSION not in headers
        and headers.get(VERSION, HANDSHAKE_PROTOCOL_VERSIONS[0]) in HANDSHAKE_PROTOCOL_VERSIONS
    )


def _opened(message: Message) -> str | None:
    """Return the id of the session that a response opens, None if it opens none."""
    if message["type"] != "http.response.start" or message["status"] >= REFUSED:
        return None
    return Headers(raw=message.get("headers", [])).get(SESSION)


def _ended(scope: Scope, status: int) -> bool:
    return status == GONE or (scope["method"] == "DELETE" and status < REFUSED)


async def _empty_body() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def discard(message: Message) -> None:
    """Discard a message."""
