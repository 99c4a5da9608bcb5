"""Finds where an issuer tells its public keys, by its metadata (RFC 8414, OpenID discovery)."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

import httpx

from reasonloom.server.auth.addresses import is_local, is_secure
from reasonloom.server.auth.fetching import fetch_json

log = logging.getLogger(__name__)


async def find_keys_of(issuer: str, pages: Iterable[str], seconds: float) -> str:
    """Return the `jwks_uri` of the first page of metadata that is the issuer's.

    Raises:
        ValueError: no page is there that names this issuer and a place that can be trusted.
    """
    for url in pages:
        try:
            return place_in(await fetch_json(url, seconds), issuer)
        except (httpx.HTTPError, ValueError) as error:
            log.info("%s has no metadata that can be used: %s", url, type(error).__name__)
    raise ValueError("no metadata of the issuer")


def pages_of(issuer: str) -> list[str]:
    """Return the well-known pages of an issuer in the order in which MCP's clients try them.

    That of OAuth, then that of OpenID, with the issuer's path behind the well-known one, or
    before it.
    """
    from mcp.client.auth.utils import (  # noqa: PLC0415 - only an issuer without keys needs it
        build_oauth_authorization_server_metadata_discovery_urls,
    )

    return build_oauth_authorization_server_metadata_discovery_urls(issuer, issuer)


def place_in(metadata: Any, issuer: str) -> str:
    """Return where metadata says that the keys are.

    Raises:
        ValueError: it is another issuer's (RFC 8414, 3.3), or names no place to be trusted.
    """
    told = metadata if isinstance(metadata, dict) else {}
    if told.get("issuer") != issuer:
        raise ValueError("metadata of another issuer")
    place = told.get("jwks_uri")
    if not isinstance(place, str) or not is_secure(place):
        raise ValueError("no jwks_uri over https")
    if is_local(place) and not is_local(issuer):
        raise ValueError("a jwks_uri on this machine")
    return place
