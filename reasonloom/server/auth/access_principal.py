"""Tells who a request's token says it is from: the owner, and what the token allows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser

if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken
    from mcp.server.context import ServerRequestContext
    from starlette.types import Scope


def token_in(scope: Scope) -> AccessToken | None:
    """Return the verified token of an HTTP request, None where none was asked for."""
    user = scope.get("user")
    return user.access_token if isinstance(user, AuthenticatedUser) else None


def token_of(ctx: ServerRequestContext[Any, Any]) -> AccessToken | None:
    """Return the verified token of the very request that is answered, not of its session."""
    request = ctx.request
    return None if request is None else token_in(request.scope)


def scopes_of(ctx: ServerRequestContext[Any, Any]) -> tuple[str, ...] | None:
    """Return what the request's token allows, None where nobody had to prove anything."""
    token = token_of(ctx)
    return None if token is None else tuple(token.scopes)
