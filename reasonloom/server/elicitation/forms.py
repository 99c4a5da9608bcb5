"""Asks the user by a form during a call, as clients of 2025-11-25 and earlier have it."""

from __future__ import annotations

import asyncio
from typing import Any

from mcp.server.mcpserver.context import Context
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from reasonloom.errors import NotConfirmed

LATE = (
    "the user did not answer within {seconds:g} s (REASONLOOM_ELICITATION_SECONDS), and nothing "
    "was done"
)
REFUSED = (
    "the client offers elicitation but did not ask the user, and nothing was done; start the "
    "server with --no-elicitation to call without confirmation"
)


def offers_forms(context: Context[Any, Any]) -> bool:
    """Return whether the client offers to ask its user by a form."""
    able = context.client_capabilities
    offered = able.elicitation if able else None
    return offered is not None and (offered.form is not None or offered.url is None)


def is_modern(context: Context[Any, Any]) -> bool:
    """Return whether the client gets questions as results, and calls again with the reply."""
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS


def question_result(
    name: str, question: str, schema: dict[str, Any], state: str
) -> InputRequiredResult:
    """Return the result that asks a modern client's user; `state` comes back with the reply."""
    form = ElicitRequestFormParams(message=question, requested_schema=schema)
    return InputRequiredResult(
        input_requests={name: ElicitRequest(params=form)}, request_state=state
    )


async def ask_user(
    context: Context[Any, Any], question: str, schema: dict[str, Any], seconds: float
) -> ElicitResult:
    """Return the user's reply to a question that is sent amid the call.

    Raises:
        NoBackChannelError: the server has no channel to the client.
        NotConfirmed: the user did not answer in time, or the client did not ask.
    """
    session, request_id = context.request_context.session, context.request_context.request_id
    try:
        async with asyncio.timeout(seconds):
            return await session.elicit_form(question, schema, request_id)
    except TimeoutError:
        raise NotConfirmed(LATE.format(seconds=seconds)) from None
    except NoBackChannelError:
        raise
    except (MCPError, ValidationError):
        raise NotConfirmed(REFUSED) from None


def accepted_values(reply: object) -> dict[str, Any]:
    """Return the values of a form that the user accepted; none of any other reply."""
    if isinstance(reply, ElicitResult) and reply.action == "accept":
        return dict(reply.content or {})
    return {}
