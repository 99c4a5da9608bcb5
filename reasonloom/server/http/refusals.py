"""Answers a request that may not go on, at once and in a form that clients can act on."""

from __future__ import annotations

import math

from mcp_types import INVALID_REQUEST
from starlette.responses import JSONResponse, Response

TRY_LATER = -32_000
"""JSON-RPC's first code for errors of a server's own: the same request may succeed later."""


def too_much(message: str, seconds: float) -> Response:
    """Return a refusal with the whole seconds after which to try again."""
    wait = max(1, math.ceil(seconds))
    error = {
        "code": TRY_LATER,
        "message": message,
        "data": {"retryable": True, "retryAfter": wait},
    }
    body = {"jsonrpc": "2.0", "id": None, "error": error}
    return JSONResponse(body, status_code=429, headers={"retry-after": str(wait)})


def too_large(identifier: int | str | None, message: str) -> Response:
    """Return a refusal of a message that brings more than is kept of its kind."""
    error = {"code": INVALID_REQUEST, "message": f"Invalid request: {message}"}
    return JSONResponse({"jsonrpc": "2.0", "id": identifier, "error": error}, status_code=413)


def not_now(message: str) -> Response:
    """Return a refusal for a token that nobody can verify at present."""
    body = {"error": "temporarily_unavailable", "error_description": message}
    return JSONResponse(body, status_code=503, headers={"retry-after": "5"})


def beyond(scope: str, metadata: str | None) -> Response:
    """Return a refusal that names the scope that would be needed (RFC 6750, 3.1)."""
    said = f"this needs the scope {scope}"
    parts = ['error="insufficient_scope"', f'scope="{scope}"', f'error_description="{said}"']
    if metadata:
        parts.append(f'resource_metadata="{metadata}"')
    body = {"error": "insufficient_scope", "error_description": said, "scope": scope}
    headers = {"www-authenticate": f"Bearer {', '.join(parts)}"}
    return JSONResponse(body, status_code=403, headers=headers)
