"""Tells who asks: the token's owner, or the settings' where no token is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reasonloom.contracts.caller import Caller
from reasonloom.server.auth.access_principal import token_of

if TYPE_CHECKING:
    from mcp.server.mcpserver.context import Context

    from reasonloom.settings import Settings

CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
LONGEST_NAME = 200


def caller_of(settings: Settings, context: Context[Any, Any]) -> Caller:
    """Return the caller of one request."""
    token = token_of(context.request_context)
    return Caller(
        settings.user if token is None else str(token.subject),
        client=_client(context),
        authenticated=token is not None,
        project=settings.project,
    )


def _client(context: Context[Any, Any]) -> str | None:
    parameters = context.request_context.session.client_params
    if parameters is not None:
        return _printable(str(parameters.client_info.name))
    said = (context.request_context.meta or {}).get(CLIENT_INFO)
    return _printable(str(said["name"])) if isinstance(said, dict) and "name" in said else None


def _printable(name: str) -> str:
    """Return a client's name as any database can keep it."""
    return "".join(filter(str.isprintable, name))[:LONGEST_NAME]
