"""Fetches a JSON document of the issuer: of bounded size, and never from where a redirect leads."""

from __future__ import annotations

import json
from typing import Any

import httpx

LARGEST = 512 * 1024
"""Bytes of a document that are read."""


async def fetch_json(url: str, seconds: float) -> Any:
    """Return the document at `url`; the caller limits the whole time, `seconds` each step of it.

    Raises:
        httpx.HTTPError: no answer, or not 200: a redirect is not followed.
        ValueError: it is no URL, too large, or not JSON.
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
            if len(body) > LARGEST:
                raise ValueError("too large")
    return body
