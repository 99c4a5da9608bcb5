"""Puts the question about a pair of memories to the user, in the way of the client's revision."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver.context import Context
from mcp.shared.exceptions import NoBackChannelError
from mcp_types import InputRequiredResult

from reasonloom.errors import NotConfirmed
from reasonloom.server.auth.principal import scopes_of
from reasonloom.server.auth.scopes import allows, scope_of
from reasonloom.server.elicitation.forms import (
    accepted_values,
    ask_user,
    is_modern,
    offers_forms,
    question_result,
)
from reasonloom.server.toolsets.pair import MemoryPair, PairReply

if TYPE_CHECKING:
    from reasonloom.settings import Settings

PAIR = "pair"


@dataclass(frozen=True, slots=True)
class PairDialog:
    """Asks one client's user about pairs, waiting at most `seconds` for a reply."""

    context: Context[Any, Any]
    seconds: float

    @classmethod
    def of(cls, context: Context[Any, Any], settings: Settings, toolset: str) -> PairDialog | None:
        """Return the dialog; None if the user cannot be asked, or may not change memories."""
        if not settings.elicitation or settings.read_only or not offers_forms(context):
            return None
        scopes = scopes_of(context.request_context)
        if scopes is not None and not allows(scopes, scope_of(toolset, reads=False)):
            return None
        return cls(context, settings.elicitation_seconds)

    @property
    def calls_again(self) -> bool:
        """Whether the client gets the question as a result, and calls again with the reply."""
        return is_modern(self.context)

    def given(self) -> PairReply | None:
        """Return the reply that this call brings to an earlier question, if any."""
        answered = (self.context.input_responses or {}).get(PAIR)
        state = self.context.request_state or ""
        if answered is None or not state.startswith("["):
            return None
        newer, older, either, key = json.loads(state)  # sealed, so this server wrote it
        pair = MemoryPair(newer, older, 0.0, either=either)
        return PairReply(pair, pair.outdated(accepted_values(answered)), key)

    async def ask(self, pair: MemoryPair, key: str | None) -> PairReply | InputRequiredResult:
        """Ask about a pair; a user who declines or does not answer in time settles nothing."""
        if self.calls_again:
            state = json.dumps([pair.newer, pair.older, pair.either, key])
            return question_result(PAIR, pair.question, pair.schema, state)
        try:
            reply = await ask_user(self.context, pair.question, pair.schema, self.seconds)
        except (NoBackChannelError, NotConfirmed):
            return PairReply(pair, None)
        return PairReply(pair, pair.outdated(accepted_values(reply)))
