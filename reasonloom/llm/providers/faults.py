"""Turns the failure of one attempt into a short, safe message, and decides whether to retry.

A provider's text reaches callers only through `excerpt`, which removes keys, paths, addresses and
tracebacks.
"""

import json
import math
import re
import time
from collections.abc import Iterable, Mapping
from email.utils import parsedate_to_datetime

RETRYABLE_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""HTTP statuses to retry: 409 is a lock timeout, as in the official OpenAI client, and 529 an
overloaded provider."""

EXCERPT_LIMIT = 160
"""Maximum characters of a provider's text in a message."""

_SECRETS = (
    re.compile(r"\b[a-z][a-z0-9+.-]*://\S+", re.I),
    re.compile(r"\b(?:bearer|basic)\s+\S+", re.I),
    re.compile(r"\b(?:sk|pk|gsk|xai|hf|ghp|key|user|pipe|org)[-_][\w*.-]{6,}", re.I),
    re.compile(r"\bAIza[\w-]{10,}"),
    re.compile(r"\b(?:api[-_ ]?key|token|secret|password)\b\s*[=:]\s*[\"']?[^\s\"',}]+", re.I),
    re.compile(r"\b(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z0-9]{20,}\b"),
    re.compile(r"(?<![\w/])(?:~|\.{1,2})?(?:/[\w.@+-]+){2,}/?"),
    re.compile(r"\b[A-Za-z]:\\\S+"),
)


class AttemptFailed(Exception):
    """One attempt failed; `reason` is safe to show, `retry_after` is in seconds."""

    def __init__(self, reason: str, *, retryable: bool, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retryable = retryable
        self.retry_after = retry_after


class NoAnswer(AttemptFailed):
    """The provider replied without an answer; another attempt may return one."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, retryable=True)


class TooSlow(AttemptFailed):
    """The provider did not answer in time; another attempt may be faster."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, retryable=True)


def failure_of_status(
    status: int, headers: Mapping[str, str], body: str, secrets: Iterable[str] = ()
) -> AttemptFailed:
    """Return the failure for an HTTP status.

    `secrets` are removed from `body`; a retryable failure omits the provider's text.
    """
    if status in RETRYABLE_STATUS:
        return AttemptFailed(f"HTTP {status}", retryable=True, retry_after=retry_after(headers))
    words = excerpt(body, secrets)
    return AttemptFailed(f"HTTP {status}" + (f": {words}" if words else ""), retryable=False)


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Return the delay a provider requests, in seconds; None if it gives none.

    Reads `retry-after-ms`, then `Retry-After` as seconds or as an HTTP date (RFC 9110, 10.2.3).
    `now` is a Unix time, by default the current one. Header names are case-insensitive.
    """
    named = {name.lower(): value.strip() for name, value in headers.items()}
    milliseconds = _count(named.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    given = named.get("retry-after", "")
    seconds = _count(given)
    return seconds if seconds is not None else _seconds_until(given, now)


def _count(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _seconds_until(date: str, now: float | None) -> float | None:
    try:
        moment = parsedate_to_datetime(date).timestamp()
    except (ValueError, OverflowError):
        return None
    return max(0.0, moment - (time.time() if now is None else now))


def excerpt(body: str, secrets: Iterable[str] = ()) -> str:
    """Return at most `EXCERPT_LIMIT` characters of a provider's text, sanitized.

    A JSON error is reduced to its message; HTML gives an empty text.
    """
    words = _error_message(body).partition("Traceback")[0]
    if words.lstrip()[:1] == "<":
        return ""
    for secret in secrets:
        words = words.replace(secret, "[...]") if secret else words
    for pattern in _SECRETS:
        words = pattern.sub("[...]", words)
    words = " ".join("".join(c if c.isprintable() else " " for c in words).split())
    return words if len(words) <= EXCERPT_LIMIT else words[: EXCERPT_LIMIT - 3] + "..."


def _error_message(body: str) -> str:
    """Return `error.message`, `error` or `message` of a JSON body, else the body."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return body
    for name in ("error", "message"):
        if isinstance(found, dict) and name in found:
            found = found[name]
    return found if isinstance(found, str) else body
