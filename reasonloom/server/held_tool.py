"""A tool of the catalogue within its caller's limits: what a day costs, how long an answer is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver.context import Context
from mcp_types import CallToolResult

from reasonloom.server.access.answer_size import require_size
from reasonloom.server.access.daily_cost import require_credit
from reasonloom.server.answering import result
from reasonloom.server.caller import caller_of
from reasonloom.server.tool import KEY, LoomTool, make_tool
from reasonloom.server.toolsets.toolset import Effect

if TYPE_CHECKING:
    from reasonloom.server.room import EngineRoom
    from reasonloom.server.served import Served


class HeldTool(LoomTool):
    """A tool that is refused before it begins, or whose answer is, where a limit is passed."""

    async def answer(
        self, arguments: dict[str, Any], context: Context[Any, Any], started: float
    ) -> CallToolResult:
        """Return the engine's answer in the reference's form.

        Raises:
            DailyLimit: the owner has used up the day's tokens or money.
            AnswerTooLarge: the answer is longer than the server gives out.
        """
        if self._may_cost():
            await self._require_credit(context)
        outcome, told = await self._outcome(arguments, context, started)
        answer = result(self.form.success(outcome.answer, told), failed=False)
        done = None if self.served.line.effect is Effect.READS else str(outcome.run_id)
        most = self.room.settings.answer_characters
        require_size(answer, most, self.parameters["properties"], done)
        return answer

    def _may_cost(self) -> bool:
        settings = self.room.settings
        limited = settings.caller_tokens_per_day or settings.caller_usd_per_day
        return bool(limited) and self.served.line.open_world

    async def _require_credit(self, context: Context[Any, Any]) -> None:
        key = (context.request_context.meta or {}).get(KEY)
        caller = caller_of(self.room.settings, context)
        known = key if isinstance(key, str) else None
        await require_credit(await self._engine(), caller, self.served.line.name, known)


def make_held_tool(served: Served, room: EngineRoom, offered: frozenset[str]) -> HeldTool:
    """Return the MCP tool of one line of the catalogue, within the limits of the settings."""
    return HeldTool.model_construct(**dict(make_tool(served, room, offered)))
