"""Asks the user to confirm a call before it is carried out, in the way of the client's revision."""

from __future__ import annotations

import hashlib
from typing import Any

from mcp.server.mcpserver.context import Context
from mcp.shared.exceptions import NoBackChannelError
from mcp_types import InputRequiredResult

from reasonloom.errors import NotConfirmed
from reasonloom.server.elicitation.forms import (
    accepted_values,
    ask_user,
    is_modern,
    question_result,
)

CONFIRM = "confirm"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        CONFIRM: {"type": "boolean", "title": "Confirm", "description": "Whether to go ahead"}
    },
    "required": [CONFIRM],
}
DECLINED = "the user did not confirm it, and nothing was done"


async def confirm(
    context: Context[Any, Any], question: str, seconds: float
) -> InputRequiredResult | None:
    """Ask the user a question; return None once it is confirmed.

    A client of 2026-07-28 gets the question as the result, and calls again with the reply; the
    sealed state binds the reply to the question. A server without a channel to its client does not
    ask.

    Raises:
        NotConfirmed: the user declined or did not answer in time, or the client did not ask.
    """
    if not is_modern(context):
        try:
            reply = await ask_user(context, question, SCHEMA, seconds)
        except NoBackChannelError:
            return None
        _require_confirmed(reply)
        return None
    state = hashlib.sha256(question.encode()).hexdigest()
    answered = (context.input_responses or {}).get(CONFIRM)
    if answered is None or context.request_state != state:
        return question_result(CONFIRM, question, SCHEMA, state)
    _require_confirmed(answered)
    return None


def _require_confirmed(reply: object) -> None:
    if accepted_values(reply).get(CONFIRM) is not True:
        raise NotConfirmed(DECLINED)
