"""The caller of a request: the token's owner, or the configured user without tokens."""

from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver.context import Context
from starlette.types import Scope

from reasonloom.contracts.caller import Caller
from reasonloom.settings import Settings


def token_of_scope(scope: Scope) -> AccessToken | None:
    """Return the verified token of an HTTP request, None if none is required."""
    user = scope.get("user")
    return user.access_token if isinstance(user, AuthenticatedUser) else None


def token_of_request(ctx: ServerRequestContext[Any, Any]) -> AccessToken | None:
    """Return the verified token of this request, not of its session."""
    request = ctx.request
    return None if request is None else token_of_scope(request.scope)


def scopes_of(ctx: ServerRequestContext[Any, Any]) -> tuple[str, ...] | None:
    """Return the scopes of the request's token, None if no token is required."""
    token = token_of_request(ctx)
    return None if token is None else tuple(token.scopes)


def groups_of(token: AccessToken) -> tuple[str, ...]:
    """Return the groups that a verified token claims."""
    return tuple((token.claims or {}).get("groups", ()))


CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
MAX_CLIENT_NAME = 200


def caller_of(settings: Settings, context: Context[Any, Any]) -> Caller:
    """Return the caller of one request."""
    token = token_of_request(context.request_context)
    return Caller(
        settings.user if token is None else str(token.subject),
        client=_client(context),
        authenticated=token is not None,
        project=settings.project,
        groups=groups_of(token) if token else (),
    )


def _client(context: Context[Any, Any]) -> str | None:
    parameters = context.request_context.session.client_params
    if parameters is not None:
        return _printable(str(parameters.client_info.name))
    info = (context.request_context.meta or {}).get(CLIENT_INFO)
    return _printable(str(info["name"])) if isinstance(info, dict) and "name" in info else None


def _printable(name: str) -> str:
    """Return a client's name without unprintable characters, truncated."""
    return "".join(filter(str.isprintable, name))[:MAX_CLIENT_NAME]
