"""The one adapter between MCP and our graphs: any line of any toolset, within a caller's limits."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver.context import Context
from mcp_types import CallToolResult

from reasonloom.contracts.caller import DEFAULT_SPACE, Caller
from reasonloom.contracts.validation import read
from reasonloom.errors import InvalidArgument, TimedOut
from reasonloom.server.auth.principal import caller_of
from reasonloom.server.base_tool import AnsweringTool, result
from reasonloom.server.catalogue.served import Served
from reasonloom.server.daily_cost import require_credit
from reasonloom.server.engine_lifespan import EngineRoom
from reasonloom.server.envelopes.envelope import Told
from reasonloom.server.stepping import report_step
from reasonloom.server.toolsets.toolset import Effect
from reasonloom.server.usage_limits import require_size

if TYPE_CHECKING:
    from reasonloom.graphs.runs.call import Report
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.graphs.runs.graphs_call import Call, Outcome

KEY = "io.reasonloom/idempotency-key"
"""The entry of a call's `_meta` that makes it safe to send again."""

MOST_KEY = 200
NOWHERE = "\x1f"
"""A space that no contract's name can reach: whoever looks there finds nothing."""


class LoomTool(AnsweringTool):
    """A tool of the catalogue, run by the engine.

    It is refused before it begins, or its answer is, where a limit of the caller is passed.
    """

    served: Served
    room: EngineRoom
    offered: frozenset[str]
    published: dict[str, Any]

    @property
    def output_schema(self) -> dict[str, Any]:
        """The JSON Schema of what the tool answers when it succeeds."""
        return self.published

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

    async def _outcome(
        self, arguments: dict[str, Any], context: Context[Any, Any], started: float
    ) -> tuple[Outcome, Told]:
        line = self.served.line
        request = read(line.request, arguments)
        key = _key(context)
        engine = await self._engine()
        from reasonloom.graphs.graph import load_graph  # noqa: PLC0415
        from reasonloom.graphs.runs.graphs_call import Call  # noqa: PLC0415 - heavy, and loaded by now

        call = Call(
            tool=line.name,
            graph=load_graph(line.graph),
            request=request.model_dump(mode="json", by_alias=True, exclude_unset=True),
            caller=self._placed(caller_of(self.room.settings, context), request.space()),
            key=key,
            report=_reporter(context),
            offered=self.offered,
        )
        outcome = await engine.call(call)
        return outcome, _told(outcome, call, engine, started)

    def _placed(self, caller: Caller, user: str | None) -> Caller:
        """Return the caller in the space of `user`; a proven owner has the default one alone.

        Raises:
            InvalidArgument: something would be added to a space that a proven owner has not.
        """
        placed = caller.within(user)
        if not caller.authenticated or placed.space == DEFAULT_SPACE:
            return placed
        if self.served.line.effect is Effect.ADDS:
            said = "userId: must be the owner that the token names"
            raise InvalidArgument(said, field="userId")
        return caller.within(NOWHERE)

    async def _engine(self) -> Engine:
        """Return the engine; a database that opens too slowly goes on opening for the next call."""
        seconds = self.room.settings.tool_timeout
        try:
            async with asyncio.timeout(seconds):
                return await self.room.engine()
        except TimeoutError:
            raise TimedOut(f"the database did not open within {seconds:g} s; try again") from None


def _told(outcome: Outcome, call: Call, engine: Engine, started: float) -> Told:
    llm = engine.loom.llm
    return Told(
        notes=outcome.notes,
        seconds=time.perf_counter() - started,
        components=call.graph.used(call.request, offline=llm.offline),
        llm=llm.name if call.graph.saved else None,
        run_id=str(outcome.run_id),
    )


def _key(context: Context[Any, Any]) -> str | None:
    """Return the call's idempotency key.

    Raises:
        InvalidArgument: it is no text of 1 to 200 characters.
    """
    key = (context.request_context.meta or {}).get(KEY)
    if key is None:
        return None
    if not isinstance(key, str) or not 0 < len(key) <= MOST_KEY or not key.isprintable():
        raise InvalidArgument(
            f"_meta.{KEY}: must be a printable string of 1 to {MOST_KEY} characters",
            field=f"_meta.{KEY}",
        )
    return key


def _reporter(context: Context[Any, Any]) -> Report:
    return partial(report_step, context)
