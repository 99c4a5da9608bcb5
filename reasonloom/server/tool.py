"""The adapter between MCP and graphs for all tools, which enforces the caller's limits."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver.context import Context
from mcp_types import (
    CallToolResult,
    ProgressNotification,
    ProgressNotificationParams,
    ToolAnnotations,
)

from reasonloom.contracts.caller import DEFAULT_SPACE, Caller
from reasonloom.contracts.schema import publish
from reasonloom.contracts.validation import parse_request, require_idempotency_key
from reasonloom.errors import DatabaseUnavailable, InvalidArgument, TimedOut
from reasonloom.server.answer_size import require_size
from reasonloom.server.auth.principal import caller_of
from reasonloom.server.base_tool import BaseTool, call_result
from reasonloom.server.catalogue.served import Catalogue, ServedTool
from reasonloom.server.daily_limit import require_daily_credit
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.server.envelopes.envelope import ResponseMeta
from reasonloom.server.questions import questions_result, with_questions
from reasonloom.server.toolsets.toolset import Effect

if TYPE_CHECKING:
    from reasonloom.graphs.runs.call import Call, Outcome, Step
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.llm.interfaces import LanguageModel


RUN_ID_META = "io.reasonloom/run-id"
"""The `_meta` entry of notifications with which the answer can be fetched after a disconnect."""


async def report_step(context: Context[Any, Any], step: Step) -> None:
    """Send a progress notification if the client requested progress."""
    token = (context.request_context.meta or {}).get("progress_token")
    if token is None:  # an in-process client has a callback instead of a token
        await context.report_progress(step.ended, step.total, step.name)
        return
    params = ProgressNotificationParams.model_validate(
        {
            "progressToken": token,
            "progress": step.ended,
            "total": step.total,
            "message": step.name,
            "_meta": {RUN_ID_META: str(step.run_id)},
        }
    )
    session = context.request_context.session
    note = ProgressNotification(params=params)
    await session.send_notification(note, related_request_id=context.request_context.request_id)


IDEMPOTENCY_KEY = "io.reasonloom/idempotency-key"
"""The `_meta` entry that makes a call safe to resend."""

STATELESS = frozenset({"assess_confidence", "detect_bias", "detect_emotion", "evaluate"})
"""Tools with stateless graphs, listed here because loading the graphs would delay an error."""

NOWHERE = "\x1f"
"""A space whose name no contract allows, so that it is always empty."""


class LoomTool(BaseTool):
    """A tool of the catalogue, run by the engine.

    Calls beyond the daily limit are refused before they start, oversized answers afterwards.
    """

    served: ServedTool
    lifespan: EngineLifespan
    offered: frozenset[str]
    published: dict[str, Any]
    asks_caller: bool = False

    @property
    def output_schema(self) -> dict[str, Any]:
        """The JSON Schema of a successful answer."""
        return self.published

    async def answer(
        self, arguments: dict[str, Any], context: Context[Any, Any], started: float
    ) -> CallToolResult:
        """Return the engine's answer in the reference's form.

        Raises:
            DailyLimit: the owner has used up the daily tokens or cost.
            AnswerTooLarge: the answer exceeds the server's size limit.
        """
        if self._may_cost():
            await self._require_credit(context)
        outcome, meta = await self._outcome(arguments, context, started)
        done = None if self.served.line.effect is Effect.READS else str(outcome.run_id)
        if outcome.round is not None:
            answer = questions_result(
                outcome.run_id, outcome.round, self.lifespan.settings.output_tokens
            )
        else:
            values = self.served.line.answered(outcome.answer)
            answer = call_result(self.envelope.success(values, meta), failed=False)
        most = self.lifespan.settings.answer_characters
        require_size(answer, most, self.parameters["properties"], done)
        return answer

    def _may_cost(self) -> bool:
        settings = self.lifespan.settings
        limited = settings.caller_tokens_per_day or settings.caller_usd_per_day
        return bool(limited) and self.served.line.open_world

    async def _require_credit(self, context: Context[Any, Any]) -> None:
        key = (context.request_context.meta or {}).get(IDEMPOTENCY_KEY)
        caller = caller_of(self.lifespan.settings, context)
        known = key if isinstance(key, str) else None
        await require_daily_credit(
            await self._engine(),
            caller,
            self.served.line.name,
            known,
            asks_caller=self.asks_caller,
        )

    async def _outcome(
        self, arguments: dict[str, Any], context: Context[Any, Any], started: float
    ) -> tuple[Outcome, ResponseMeta]:
        line = self.served.line
        request = parse_request(line.request, arguments)
        meta = context.request_context.meta or {}
        key = require_idempotency_key(meta.get(IDEMPOTENCY_KEY), f"_meta.{IDEMPOTENCY_KEY}")
        engine: Engine | None = None
        try:
            engine = await self._engine()
        except DatabaseUnavailable:
            if line.name not in STATELESS:
                raise
        from reasonloom.graphs.graph import load_graph  # noqa: PLC0415
        from reasonloom.graphs.runs.call import Call  # noqa: PLC0415 - heavy, and loaded by now
        from reasonloom.llm.providers.caller import CallerModel  # noqa: PLC0415

        call = Call(
            tool=line.name,
            graph=load_graph(line.graph),
            request=request.model_dump(mode="json", by_alias=True, exclude_unset=True),
            caller=self._placed(caller_of(self.lifespan.settings, context), request.space()),
            key=key,
            report=partial(report_step, context),
            offered=self.offered,
            asks_caller=self.asks_caller,
        )
        try:
            if engine is not None:
                outcome = await self.lifespan.call(engine, call)
                llm = CallerModel() if self.asks_caller else engine.loom.llm
                return outcome, _response_meta(outcome, call, llm, started)
        except DatabaseUnavailable:
            if not call.graph.stateless:
                raise
        from reasonloom.compose import answer_without_database  # noqa: PLC0415
        from reasonloom.llm.offline.model import OfflineModel  # noqa: PLC0415

        outcome = await answer_without_database(self.lifespan.settings, call)
        return outcome, _response_meta(outcome, call, OfflineModel(), started)

    def _placed(self, caller: Caller, user: str | None) -> Caller:
        """Return the caller in the space of `user`; authenticated owners have only the default.

        Other calls of an authenticated owner get an empty space.

        Raises:
            InvalidArgument: an authenticated owner would add to another space.
        """
        placed = caller.within(user)
        if not caller.authenticated or placed.space == DEFAULT_SPACE:
            return placed
        if self.served.line.effect is Effect.ADDS:
            reason = "userId: must be the owner that the token names"
            raise InvalidArgument(reason, field="userId")
        return caller.within(NOWHERE)

    async def _engine(self) -> Engine:
        """Return the engine; one that opens too slowly continues opening for the next call."""
        seconds = self.lifespan.settings.tool_timeout
        try:
            async with asyncio.timeout(seconds):
                return await self.lifespan.engine()
        except TimeoutError:
            raise TimedOut(f"the database did not open within {seconds:g} s; try again") from None


def _response_meta(
    outcome: Outcome, call: Call, llm: LanguageModel, started: float
) -> ResponseMeta:
    return ResponseMeta(
        notes=outcome.notes,
        seconds=time.perf_counter() - started,
        components=call.graph.used(call.request, offline=llm.offline),
        llm=llm.name if call.graph.saved else None,
        run_id=str(outcome.run_id),
    )


def make_tool(served: ServedTool, lifespan: EngineLifespan, catalogue: Catalogue) -> LoomTool:
    """Return the MCP tool of a served tool."""
    line = served.line
    waits = catalogue.asks_caller and line.open_world
    answer = served.envelope.schema(publish(line.answer, answer=True))
    return LoomTool(
        envelope=served.envelope,
        name=served.name,
        title=line.title,
        description=description_of(served),
        parameters=publish(line.request),
        annotations=_hints(line.effect, open_world=line.open_world),
        served=served,
        lifespan=lifespan,
        offered=catalogue.offered,
        published=with_questions(answer, short=served.short) if waits else answer,
        asks_caller=waits,
    )


def description_of(served: ServedTool) -> str:
    """Return a tool's description for agents: its contract's docstring."""
    lines = (served.line.request.__doc__ or "").strip().splitlines()
    return " ".join(line.strip() for line in lines if line.strip())


def _hints(effect: Effect, *, open_world: bool) -> ToolAnnotations:
    return ToolAnnotations(
        read_only_hint=effect is Effect.READS,
        destructive_hint=effect in (Effect.CHANGES, Effect.DESTROYS),
        idempotent_hint=effect is not Effect.ADDS,
        open_world_hint=open_world,
    )
