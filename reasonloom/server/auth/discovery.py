"""Finds an issuer's public keys through its metadata (RFC 8414, OpenID discovery)."""

import json
import logging
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

import httpx

LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")


def is_secure(url: str) -> bool:
    """Return whether `url` cannot be intercepted: https, or http on loopback.

    A URL with a user, a fragment or an invalid port is refused.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    secure = parts.scheme == "https" or (parts.scheme == "http" and host in LOOPBACK_HOSTS)
    return bool(host) and secure and not parts.username and not parts.fragment


def is_local(url: str) -> bool:
    """Return whether a secure URL points to this machine."""
    return urlsplit(url).hostname in LOOPBACK_HOSTS


MAX_DOCUMENT_BYTES = 512 * 1024
"""Maximum bytes of a fetched document."""


async def fetch_json(url: str, seconds: float) -> Any:
    """Return the JSON at `url`; `seconds` limits each step, the caller limits the whole fetch.

    Raises:
        httpx.HTTPError: no response, or not a success status; redirects are not followed.
        ValueError: the URL is invalid, or the document too large or not JSON.
    """
    try:
        return json.loads(await _body(url, seconds))
    except RecursionError:
        raise ValueError("too deep") from None
    except httpx.InvalidURL:
        raise ValueError("no URL") from None


async def _body(url: str, seconds: float) -> bytes:
    body = b""
    async with (
        httpx.AsyncClient(timeout=seconds, follow_redirects=False) as client,
        client.stream("GET", url, headers={"accept": "application/json"}) as answer,
    ):
        answer.raise_for_status()
        async for part in answer.aiter_bytes():
            body += part
            if len(body) > MAX_DOCUMENT_BYTES:
                raise ValueError("too large")
    return body


log = logging.getLogger(__name__)


async def discover_jwks_uri(issuer: str, pages: Iterable[str], seconds: float) -> str:
    """Return the `jwks_uri` of the issuer's first usable metadata page.

    Raises:
        ValueError: no page has this issuer and a trusted URI.
    """
    for url in pages:
        try:
            return jwks_uri_in(await fetch_json(url, seconds), issuer)
        except (httpx.HTTPError, ValueError) as error:
            log.info("%s has no usable metadata: %s", url, type(error).__name__)
    raise ValueError("no metadata of the issuer")


def metadata_urls(issuer: str) -> list[str]:
    """Return an issuer's well-known metadata URLs in the order that MCP clients try them.

    OAuth's first, then OpenID's, with the issuer's path after the well-known segment or before
    it.
    """
    from mcp.client.auth.utils import (  # noqa: PLC0415 - only an issuer without keys needs it
        build_oauth_authorization_server_metadata_discovery_urls,
    )

    return build_oauth_authorization_server_metadata_discovery_urls(issuer, issuer)


def jwks_uri_in(metadata: Any, issuer: str) -> str:
    """Return the `jwks_uri` in the metadata.

    Raises:
        ValueError: the metadata is another issuer's (RFC 8414, 3.3), or has no trusted URI.
    """
    document = metadata if isinstance(metadata, dict) else {}
    if document.get("issuer") != issuer:
        raise ValueError("metadata of another issuer")
    uri = document.get("jwks_uri")
    if not isinstance(uri, str) or not is_secure(uri):
        raise ValueError("no jwks_uri over https")
    if is_local(uri) and not is_local(issuer):
        raise ValueError("a jwks_uri on this machine")
    return uri
