"""The machine's clock is set by an hour: nobody is let in longer, counted twice, or shut out."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from reasonloom.server.auth.token_file import TokenFile, append_entry, new_entry
from reasonloom.server.http.rate_limits import RateLimits
from reasonloom.settings import Settings
from reasonloom.studio.auth.sign_in import SignInSessions

HOUR = 3_600.0
BY = pytest.mark.parametrize("seconds", [HOUR, -HOUR])


def set_clock(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Set the clock of this process by so many seconds from the true time."""
    true = time.clock_gettime
    monkeypatch.setattr(time, "time", lambda: true(time.CLOCK_REALTIME) + seconds)


async def status_of(limits: RateLimits) -> int:
    """Return the status of one request of an owner."""
    token = AccessToken(token="t", client_id="anna", subject="anna", scopes=[])
    scope: Scope = {"type": "http", "headers": [], "user": AuthenticatedUser(token)}
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        sent.append(message)

    await limits(scope, receive, send)
    return int(sent[0]["status"])


async def answer(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("")(scope, receive, send)


@BY
async def test_an_allowance_neither_fills_nor_freezes(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, seconds: float
) -> None:
    few: Any = settings.model_copy(update={"caller_requests_per_minute": 600})
    limits = RateLimits(answer, few)
    while await status_of(limits) == 200:
        pass
    set_clock(monkeypatch, seconds)
    assert await status_of(limits) == 429, "an hour that has not passed fills no bucket"
    time.sleep(0.25)
    assert await status_of(limits) == 200, "a quarter of a second does"


@BY
def test_who_is_signed_in_to_the_studio_stays_so(
    monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    sessions = SignInSessions()
    value = sessions.enter("token", "anna")
    set_clock(monkeypatch, 13 * seconds)
    assert sessions.token(value) == "token"


@pytest.mark.parametrize(("seconds", "valid"), [(HOUR, False), (-HOUR, True)])
def test_a_token_ends_by_the_clock_and_is_valid_again_when_that_is_set_right(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, seconds: float, valid: bool
) -> None:
    token, entry = new_entry("anna", ("read",), days=0.5 / 24)
    append_entry(tmp_path / "tokens", entry)
    tokens = TokenFile(tmp_path / "tokens")
    assert tokens.find(token)
    set_clock(monkeypatch, seconds)
    assert (tokens.find(token) is not None) == valid
    monkeypatch.undo()
    assert tokens.find(token)
