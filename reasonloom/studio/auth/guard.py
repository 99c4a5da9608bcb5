"""ASGI middleware in front of every page: hosts, security headers, sign-in."""

import re
from urllib.parse import quote

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reasonloom.server.auth.verifier import Verifier
from reasonloom.server.http.hosts import AllowedNames
from reasonloom.studio.auth.sign_in import COOKIE, SIGN_IN, SignInPages, SignInSessions
from reasonloom.studio.auth.visitor import NotProvable, SignedOut, Visitor

POLICY = "; ".join(
    (
        "default-src 'self'",
        # The library compiles its templates in the browser and inlines its start script in the
        # page.
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'self'",
    )
)
SECURITY_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    # With `no-referrer`, a browser submits its own form with the origin `null`, which is refused.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}


def with_headers(send: Send) -> Send:
    """Return `send` with our security headers added to each response."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers[name] = value
            if headers.get("content-type", "").startswith("text/html"):
                headers["cache-control"] = "no-store"
        await send(message)

    return sent


VISITOR = "reasonloom.visitor"
"""The key of the `Visitor` in a request's scope."""

LIBRARY = "/_nicegui/"
ASSETS = "(static|components|libraries|resources|dynamic_resources|esm)/.+"
"""Scripts and styles of the library below its version, the same for everybody."""


class Guard:
    """Passes requests with an allowed host and origin, and a token where one is required."""

    def __init__(
        self,
        app: ASGIApp,
        base: str,
        names: AllowedNames,
        verifier: Verifier | None,
        library_version: str,
    ) -> None:
        """Guard `app`, which serves its pages below the path `base`."""
        self._assets = re.compile(f"{LIBRARY}{re.escape(library_version)}/{ASSETS}")
        self._app = app
        self._base = base
        self._names = names
        self._verifier = verifier
        self._signed_in = SignInSessions()
        self._signing = SignInPages(base, verifier, self._signed_in)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on allowed requests; answer refused requests and sign-ins here."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        if refusal := self._names.page_refusal(scope):
            await _respond(refusal, scope, receive, send)
            return
        await self._identified(connection, receive, with_headers(send))

    async def _identified(self, connection: HTTPConnection, receive: Receive, send: Send) -> None:
        scope = connection.scope
        path = scope["path"].removeprefix(self._base)
        if self._verifier is not None and path.startswith(SIGN_IN):
            await (await self._signing.answer(Request(scope, receive)))(scope, receive, send)
            return
        visitor = Visitor(self._verifier, self._signed_in.token(connection.cookies.get(COOKIE)))
        refusal = (
            self._asset_refusal(path, scope)
            if path.startswith(LIBRARY)
            else await self._refusal(visitor, scope)
        )
        if refusal:
            await _respond(refusal, scope, receive, send)
            return
        scope[VISITOR] = visitor
        await self._app(scope, receive, send)

    def _asset_refusal(self, path: str, scope: Scope) -> Response | None:
        known = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        return None if known and self._assets.fullmatch(path) else not_found()

    async def _refusal(self, visitor: Visitor, scope: Scope) -> Response | None:
        try:
            await visitor.token()
        except SignedOut:
            return self._sign_in_response(scope)
        except NotProvable as error:
            return PlainTextResponse(error.message, status_code=503)
        return None

    def _sign_in_response(self, scope: Scope) -> Response:
        if scope["type"] == "http" and scope["method"] == "GET":
            there = quote(scope["path"])
            return RedirectResponse(f"{self._base}{SIGN_IN}?to={there}", status_code=303)
        return PlainTextResponse("sign in first", status_code=401)


def not_found() -> Response:
    """Return the response for a missing file, for which the library would build a page."""
    return PlainTextResponse("Not found", status_code=404)


async def _respond(response: Response, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request; a refused web socket is closed before it is accepted."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    await response(scope, receive, send)
