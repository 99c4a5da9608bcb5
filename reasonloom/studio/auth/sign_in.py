"""Sign-in and sign-out pages; the cookie is a random number that stands for a token."""

import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass
from functools import cache
from importlib import resources

from jinja2 import Environment, Template
from starlette.authentication import AuthenticationError
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from reasonloom.server.auth.verifier import Verifier

COOKIE = "reasonloom_studio"
SESSION_SECONDS = 12 * 3_600
"""Seconds after which a visitor signs in again."""

MAX_SESSIONS = 1_000
"""Signed-in visitors at most; the earliest is dropped for one more."""


@dataclass(frozen=True, slots=True)
class _SignIn:
    token: str
    until: float


class SignInSessions:
    """The tokens of visitors signed in to this process."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, _SignIn] = OrderedDict()

    def enter(self, token: str) -> str:
        """Return a new cookie value for a token."""
        value = secrets.token_urlsafe(32)
        self._sessions[value] = _SignIn(token, time.monotonic() + SESSION_SECONDS)
        while len(self._sessions) > MAX_SESSIONS:
            self._sessions.popitem(last=False)
        return value

    def token(self, value: str | None) -> str | None:
        """Return the token of a cookie value, None if there is none."""
        session = self._sessions.get(value or "")
        if session is None or session.until < time.monotonic():
            self.leave(value)
            return None
        return session.token

    def leave(self, value: str | None) -> None:
        """Forget a visitor."""
        self._sessions.pop(value or "", None)


SIGN_IN = "/sign-in"
SIGN_OUT = f"{SIGN_IN}/out"
REJECTED = "This token is not valid here. Check that it is whole, and that it was not revoked."


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

    async def answer(self, request: Request) -> Response:
        """Show the form, take a token, or sign out."""
        if request.url.path.endswith(SIGN_OUT):
            return self._out(request)
        if request.method != "POST":
            return HTMLResponse(_template().render(wrong=None))
        async with request.form(max_files=0, max_fields=4) as form:
            token = str(form.get("token", "")).strip()
        try:
            found = await self._verifier.verify_token(token) if self._verifier else None
        except AuthenticationError as error:
            return HTMLResponse(_template().render(wrong=str(error)), status_code=503)
        if found is None:
            return HTMLResponse(_template().render(wrong=REJECTED), status_code=401)
        return self._in(request, token)

    def _in(self, request: Request, token: str) -> Response:
        response = RedirectResponse(self._there(request), status_code=303)
        response.set_cookie(
            COOKIE,
            self._signed_in.enter(token),
            max_age=SESSION_SECONDS,
            path=self._base or "/",
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="strict",
        )
        return response

    def _there(self, request: Request) -> str:
        """Return the requested page if it is one of ours, else the first."""
        wanted = request.query_params.get("to", "")
        ours = wanted.startswith(f"{self._base}/") and "//" not in wanted and "\\" not in wanted
        return wanted if ours else f"{self._base}/"

    def _out(self, request: Request) -> Response:
        self._signed_in.leave(request.cookies.get(COOKIE))
        response = RedirectResponse(f"{self._base}{SIGN_IN}", status_code=303)
        response.delete_cookie(COOKIE, path=self._base or "/")
        return response
