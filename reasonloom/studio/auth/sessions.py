"""Who is signed in: a random number in a cookie stands for a token, which is kept here alone."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass

COOKIE = "reasonloom_studio"
LASTS = 12 * 3_600
"""Seconds after which a visitor signs in again."""

MOST = 1_000
"""Visitors kept; the one who signed in first is let go for one more."""


@dataclass(frozen=True, slots=True)
class _Kept:
    token: str
    until: float


class SignedIn:
    """The tokens of those who are signed in at this process."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def enter(self, token: str) -> str:
        """Return the cookie's value that stands for a token from now on."""
        value = secrets.token_urlsafe(32)
        self._kept[value] = _Kept(token, time.monotonic() + LASTS)
        while len(self._kept) > MOST:
            self._kept.popitem(last=False)
        return value

    def token(self, value: str | None) -> str | None:
        """Return the token that a cookie stands for, None where it stands for none."""
        kept = self._kept.get(value or "")
        if kept is None or kept.until < time.monotonic():
            self.leave(value)
            return None
        return kept.token

    def leave(self, value: str | None) -> None:
        """Forget a visitor."""
        self._kept.pop(value or "", None)
