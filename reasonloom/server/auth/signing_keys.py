"""The issuer's public keys, from a file or over HTTP, refetched when a key is unknown.

Without a configured location, the keys' URI is discovered from the issuer's metadata on each
fetch.

Tokens with made-up key ids must not trigger a fetch each, so fetches are rate-limited by a slowly
refilling allowance. Stale keys are also refetched, so that a withdrawn key expires; requests with
a known key do not wait for that, and while the issuer is unreachable old keys stay valid for at
most a day.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import httpx
import jwt

from reasonloom.server.auth.discovery import discover_jwks_uri, fetch_json, metadata_urls

if TYPE_CHECKING:
    from jwt.algorithms import AllowedPublicKeys

    VerifyingKey: TypeAlias = jwt.PyJWK | AllowedPublicKeys
    """A key with the algorithm of its JWK, or a bare key for any algorithm of its type."""

log = logging.getLogger(__name__)
FRESH_SECONDS = 600.0
MAX_AGE_SECONDS = 86_400.0
"""Seconds after which keys are refetched, and after which they expire."""

MAX_FETCHES = 5
REFILL_SECONDS = 30.0
"""Fetches in a row, and seconds until one more is allowed."""

FETCH_TIMEOUT = 5.0
"""Seconds for a whole fetch, discovery included."""


class KeysUnavailable(Exception):
    """No keys are available: the issuer does not answer, or sends none."""


class SigningKeys:
    """The keys of one issuer, from `place` or discovered from its metadata."""

    def __init__(self, place: str | None, issuer: str = "") -> None:
        self._place = place
        self._issuer = issuer
        self._pages = [] if place else metadata_urls(issuer)
        self._keys: list[tuple[str | None, VerifyingKey]] = []
        self._fetched = -MAX_AGE_SECONDS
        self._allowance = float(MAX_FETCHES)
        self._counted = time.monotonic()
        self._lock = asyncio.Lock()
        self._renewing: asyncio.Task[None] | None = None

    async def find(self, kid: str | None) -> VerifyingKey | None:
        """Return the key with this id, or the only key if the token names none.

        A known key is returned at once; if it is stale, keys are refetched in the background.

        Raises:
            KeysUnavailable: no fetch has succeeded within a day.
        """
        key = self._known(kid)
        if key is None or self._age() > MAX_AGE_SECONDS:
            await self._renew(kid)
            key = self._known(kid)
        elif self._age() > FRESH_SECONDS and self._renewing is None:
            self._renewing = asyncio.create_task(self._renew(kid))
            self._renewing.add_done_callback(self._renewed)
        if self._age() > MAX_AGE_SECONDS:
            raise KeysUnavailable
        return key

    async def _renew(self, kid: str | None) -> None:
        """Refetch the keys, one caller at a time, unless another has just done so."""
        async with self._lock:
            if self._known(kid) is None or self._age() > FRESH_SECONDS:
                await self._refresh()

    def _renewed(self, renewing: asyncio.Task[None]) -> None:
        self._renewing = None

    def _age(self) -> float:
        return time.monotonic() - self._fetched

    def _known(self, kid: str | None) -> VerifyingKey | None:
        if kid is None:
            return self._keys[0][1] if len(self._keys) == 1 else None
        return next((key for name, key in self._keys if name == kid), None)

    async def _refresh(self) -> None:
        """Fetch the keys if the allowance permits; a failure keeps the old ones."""
        now = time.monotonic()
        filled = self._allowance + (now - self._counted) / REFILL_SECONDS
        self._allowance, self._counted = min(float(MAX_FETCHES), filled), now
        if self._allowance < 1:
            return
        self._allowance -= 1
        try:
            self._keys = _verifying_keys(await self._load())
            self._fetched = time.monotonic()
        except (OSError, ValueError, httpx.HTTPError, jwt.PyJWTError) as error:
            log.warning("the issuer's keys cannot be fetched: %s", type(error).__name__)

    async def _load(self) -> Any:
        async with asyncio.timeout(FETCH_TIMEOUT):
            place = self._place or await discover_jwks_uri(self._issuer, self._pages, FETCH_TIMEOUT)
            if not place.startswith(("http://", "https://")):
                return json.loads(await asyncio.to_thread(Path(place).read_bytes))
            return await fetch_json(place, FETCH_TIMEOUT)


def _verifying_keys(value: Any) -> list[tuple[str | None, VerifyingKey]]:
    """Return the signature keys with their ids; unknown types are skipped.

    Raises:
        ValueError: there is no such key, or `value` is not a key set.
    """
    keys = value.get("keys") if isinstance(value, dict) else None
    found = []
    for each in keys if isinstance(keys, list) else ():
        if isinstance(each, dict) and each.get("use", "sig") == "sig" and each.get("kty") != "oct":
            try:
                key = jwt.PyJWK(each)
                found.append((key.key_id, key if each.get("alg") else key.key))
            except jwt.PyJWTError:
                log.warning("a key of the issuer has an unsupported type")
    if not found:
        raise ValueError("no key for signatures")
    return found
