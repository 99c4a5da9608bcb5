"""Sign-in and sign-out pages; the cookie is a random number that maps to a token."""

import asyncio
import math
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass
from functools import cache
from importlib import resources
from urllib.parse import parse_qs

from jinja2 import Environment, Template
from starlette.authentication import AuthenticationError
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from reasonloom.server.auth.verifier import Verifier

COOKIE = "reasonloom_studio"
SESSION_SECONDS = 12 * 3_600
"""Seconds after which a visitor must sign in again."""

MAX_OWNER_SESSIONS = 20
"""Concurrent sign-ins per owner; one more signs out that owner's earliest."""

MAX_FORM_BYTES = 16_384
WRONG_SECONDS = 1.0
"""Delay before a wrong token is answered, in seconds, so that tokens cannot be guessed quickly."""

MAX_WRONG = 20
"""Wrong tokens that may wait for their answer concurrently; further ones are refused at once."""

FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class _SignIn:
    token: str
    until: float


class SignInSessions:
    """The tokens of visitors signed in to this process, by owner."""

    def __init__(self) -> None:
        self._owners: dict[str, str] = {}
        self._sessions: dict[str, OrderedDict[str, _SignIn]] = {}

    def enter(self, token: str, owner: str) -> str:
        """Return a new cookie value for an owner's token."""
        value = secrets.token_urlsafe(32)
        own = self._sessions.setdefault(owner, OrderedDict())
        own[value] = _SignIn(token, time.monotonic() + SESSION_SECONDS)
        self._owners[value] = owner
        if len(own) > MAX_OWNER_SESSIONS:
            self.leave(next(iter(own)))
        return value

    def token(self, value: str | None) -> str | None:
        """Return the token of a cookie value, None if there is none or it has expired."""
        owner = self._owners.get(value or "")
        session = self._sessions[owner][value or ""] if owner is not None else None
        if session is None or session.until < time.monotonic():
            self.leave(value)
            return None
        return session.token

    def leave(self, value: str | None) -> None:
        """Sign a visitor out."""
        owner = self._owners.pop(value or "", None)
        if owner is None:
            return
        del self._sessions[owner][value or ""]
        if not self._sessions[owner]:
            del self._sessions[owner]


SIGN_IN = "/sign-in"
SIGN_OUT = f"{SIGN_IN}/out"
REJECTED = "This token is not valid here. Check that it is complete and was not revoked."


@cache
def _template() -> Template:
    page = resources.files(__package__).joinpath("sign_in.html").read_text(encoding="utf-8")
    return Environment(autoescape=True).from_string(page)


class SignInPages:
    """Serves the pages below `/sign-in`."""

    def __init__(self, base: str, verifier: Verifier | None, signed_in: SignInSessions) -> None:
        self._base = base
        self._verifier = verifier
        self._signed_in = signed_in
        self._waiting = 0

    async def answer(self, request: Request) -> Response:
        """Serve the form, accept a token, or sign out."""
        if request.url.path.endswith(SIGN_OUT):
            return self._out(request)
        if request.method != "POST":
            return HTMLResponse(_template().render(wrong=None))
        if isinstance(token := await _token_of(request), Response):
            return token
        try:
            found = await self._verifier.verify_token(token) if self._verifier else None
        except AuthenticationError as error:
            return HTMLResponse(_template().render(wrong=str(error)), status_code=503)
        return self._in(request, token, str(found.subject)) if found else await self._wrong()

    async def _wrong(self) -> Response:
        if self._waiting >= MAX_WRONG:
            headers = {"retry-after": str(math.ceil(WRONG_SECONDS))}
            return PlainTextResponse("Too many wrong tokens; try again.", 429, headers)
        self._waiting += 1
        try:
            await asyncio.sleep(WRONG_SECONDS)
        finally:
            self._waiting -= 1
        return HTMLResponse(_template().render(wrong=REJECTED), status_code=401)

    def _in(self, request: Request, token: str, owner: str) -> Response:
        response = RedirectResponse(self._there(request), status_code=303)
        response.set_cookie(
            COOKIE,
            self._signed_in.enter(token, owner),
            max_age=SESSION_SECONDS,
            path=self._base or "/",
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="strict",
        )
        return response

    def _there(self, request: Request) -> str:
        """Return the requested page if it is one of ours, otherwise the home page."""
        wanted = request.query_params.get("to", "")
        ours = wanted.startswith(f"{self._base}/") and "//" not in wanted and "\\" not in wanted
        return wanted if ours else f"{self._base}/"

    def _out(self, request: Request) -> Response:
        self._signed_in.leave(request.cookies.get(COOKIE))
        response = RedirectResponse(f"{self._base}{SIGN_IN}", status_code=303)
        response.delete_cookie(COOKIE, path=self._base or "/")
        return response


async def _token_of(request: Request) -> str | Response:
    """Return the token of a posted form, or a refusal if it is too large or not a form."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_FORM_BYTES:
            return PlainTextResponse(f"A form has at most {MAX_FORM_BYTES} bytes.", 413)
    refusal = PlainTextResponse(f"Not a form; send token=TOKEN as {FORM}.", 400)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
        return refusal
    try:
        fields = parse_qs(body.decode("ascii"), max_num_fields=4, errors="strict")
    except ValueError:
        return refusal
    return fields.get("token", [""])[0].strip()
