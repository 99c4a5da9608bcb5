"""The adapter between MCP and graphs for all tools, which enforces the caller's limits."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver.context import Context
from mcp_types import (
    CallToolResult,
    InputRequiredResult,
    ProgressNotification,
    ProgressNotificationParams,
    ToolAnnotations,
)

from reasonloom.contracts.base import Request
from reasonloom.contracts.caller import NOWHERE, Caller
from reasonloom.contracts.example_calls import example_call, parse_leniently
from reasonloom.contracts.schema import publish
from reasonloom.contracts.validation import parse_request, require_idempotency_key
from reasonloom.errors import DatabaseUnavailable, InvalidArgument, SessionNotFound, TimedOut
from reasonloom.server.answer_size import require_size
from reasonloom.server.auth.principal import caller_of
from reasonloom.server.base_tool import BaseTool, call_result, kept_notes
from reasonloom.server.catalogue.run_links import AnswerLinks
from reasonloom.server.catalogue.served import Catalogue, ServedTool
from reasonloom.server.daily_limit import require_daily_credit
from reasonloom.server.elicitation.confirmation import confirm
from reasonloom.server.elicitation.dialog import PairDialog
from reasonloom.server.elicitation.forms import offers_forms
from reasonloom.server.elicitation.settling import Settling
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.server.envelopes.envelope import ResponseMeta
from reasonloom.server.questions import questions_result, with_questions
from reasonloom.server.toolsets.toolset import Effect, Target

if TYPE_CHECKING:
    from uuid import UUID

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


def _ignore(run_id: UUID) -> None:
    """Do nothing at the end of a run."""


@dataclass(frozen=True, slots=True)
class CallOptions:
    """How a call reports its steps and its end, and its key if the client gave none."""

    report: Callable[[Step], Awaitable[None]]
    ended: Callable[[UUID], None] = _ignore
    key: str | None = None


@dataclass(frozen=True, slots=True)
class PreparedCall:
    """A validated call: its request, the tool and request that it runs, and its caller."""

    request: Request
    target: Target
    caller: Caller
    in_own_space: bool


class LoomTool(BaseTool):
    """A tool of the catalogue, run by the engine.

    Calls beyond the daily limit are refused before they start, oversized answers afterwards.
    """

    served: ServedTool
    lifespan: EngineLifespan
    offered: frozenset[str]
    published: dict[str, Any]
    links: AnswerLinks
    asks_caller: bool = False

    @property
    def output_schema(self) -> dict[str, Any]:
        """The JSON Schema of a successful answer."""
        return self.published

    async def answer(
        self, arguments: dict[str, Any], context: Context[Any, Any], started: float
    ) -> CallToolResult | InputRequiredResult:
        """Return the engine's answer in the reference's form, or a question to the user.

        Raises:
            DailyLimit: the owner has used up the daily tokens or cost.
            AnswerTooLarge: the answer exceeds the server's size limit.
            NotConfirmed: the user did not confirm the call.
        """
        if question := await self._confirmed(arguments, context):
            return question
        options = CallOptions(partial(report_step, context))
        prepared = await self._prepared(arguments, context)
        found = await self._settled(prepared, context, started, options)
        if isinstance(found, InputRequiredResult):
            return found
        return self._result(prepared, context, options, *found)

    async def _confirmed(
        self, arguments: dict[str, Any], context: Context[Any, Any]
    ) -> InputRequiredResult | None:
        """Return None if the call may be carried out, else the question to the user.

        A call that is sent again with the key of a run is not asked about again.
        """
        settings, line = self.lifespan.settings, self.served.line
        if not (line.confirm and self.lenient and settings.elicitation and offers_forms(context)):
            return None
        question = line.confirm(parse_leniently(line.request, arguments))
        if question is None or await self._is_known(context):
            return None
        return await confirm(context, question, settings.elicitation_seconds)

    async def _is_known(self, context: Context[Any, Any]) -> bool:
        """Return whether the call's idempotency key has a run."""
        key = (context.request_context.meta or {}).get(IDEMPOTENCY_KEY)
        if not isinstance(key, str):
            return False
        from reasonloom.stores.runs import runs  # noqa: PLC0415 - heavy

        engine, caller = await self._engine(), caller_of(self.lifespan.settings, context)
        async with engine.loom.database.begin(caller) as tx:
            return await runs.find_by_key(tx, self.served.line.name, key) is not None

    async def run_with(
        self, arguments: dict[str, Any], context: Context[Any, Any], options: CallOptions
    ) -> CallToolResult:
        """Run the tool as `run` does, with these options."""
        started = time.perf_counter()
        return await self.guarded(self._answered(arguments, context, started, options), started)

    async def _answered(
        self,
        arguments: dict[str, Any],
        context: Context[Any, Any],
        started: float,
        options: CallOptions,
    ) -> CallToolResult:
        prepared = await self._prepared(arguments, context)
        found = await self._outcome(prepared, context, started, options)
        return self._result(prepared, context, options, *found)

    async def _prepared(
        self, arguments: dict[str, Any], context: Context[Any, Any]
    ) -> PreparedCall:
        """Return the call that the arguments make; raises where the caller may not make it."""
        line = self.served.line
        request = (parse_leniently if self.lenient else parse_request)(line.request, arguments)
        target = line.target(request)
        if self._may_cost():
            await self._require_credit(target.line.name, context)
        own = caller_of(self.lifespan.settings, context)
        caller = self._placed(own, request.space())
        if self.lenient:
            caller = replace(caller, spaces=self.lifespan.settings.spaces)
        return PreparedCall(request, target, caller, in_own_space=caller.space == own.space)

    async def _settled(
        self,
        prepared: PreparedCall,
        context: Context[Any, Any],
        started: float,
        options: CallOptions,
    ) -> tuple[Outcome, ResponseMeta] | InputRequiredResult:
        """Return the outcome; a pair of memories that it leaves open is put to the user."""
        line, settings = self.served.line, self.lifespan.settings
        able = self.lenient and line.unsettled is not None
        dialog = PairDialog.of(context, settings, self.served.toolset) if able else None
        if dialog is None:
            return await self._outcome(prepared, context, started, options)

        async def run(key: str | None) -> tuple[Outcome, ResponseMeta]:
            return await self._outcome(prepared, context, started, replace(options, key=key))

        settling = Settling(dialog, line, prepared.request, prepared.caller, self._engine, run)
        return await settling.outcome()

    def _result(
        self,
        prepared: PreparedCall,
        context: Context[Any, Any],
        options: CallOptions,
        outcome: Outcome,
        meta: ResponseMeta,
    ) -> CallToolResult:
        line = self.served.line
        options.ended(outcome.run_id)
        done = None if line.effect is Effect.READS else str(outcome.run_id)
        if outcome.round is not None:
            answer = questions_result(
                outcome.run_id, outcome.round, self.lifespan.settings.output_tokens
            )
        else:
            name = prepared.target.line.name
            values = line.answered(outcome.answer, name, outcome.run_id)
            kept = kept_notes(line, outcome.answer, self.lifespan.settings)
            meta = replace(meta, notes=[*meta.notes, *kept])
            answer = call_result(self.envelope.success(values, meta), failed=False)
            if prepared.in_own_space:
                ctx, whole = context.request_context, outcome.answer
                answer = self.links.add(answer, self.served, ctx, outcome.run_id, whole)
        most = self.lifespan.settings.answer_characters
        require_size(answer, most, self.parameters["properties"], done)
        return answer

    def _may_cost(self) -> bool:
        settings = self.lifespan.settings
        limited = settings.caller_tokens_per_day or settings.caller_usd_per_day
        return bool(limited) and self.served.line.open_world

    async def _require_credit(self, tool: str, context: Context[Any, Any]) -> None:
        key = (context.request_context.meta or {}).get(IDEMPOTENCY_KEY)
        caller = caller_of(self.lifespan.settings, context)
        known = key if isinstance(key, str) else None
        await require_daily_credit(
            await self._engine(), caller, tool, known, asks_caller=self.asks_caller
        )

    async def _outcome(
        self,
        prepared: PreparedCall,
        context: Context[Any, Any],
        started: float,
        options: CallOptions,
    ) -> tuple[Outcome, ResponseMeta]:
        target, caller = prepared.target, prepared.caller
        line = target.line
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
            request=target.request.model_dump(mode="json", by_alias=True, exclude_unset=True),
            caller=caller,
            key=key or options.key,
            report=options.report,
            offered=self.offered,
            asks_caller=self.asks_caller,
        )
        try:
            if engine is not None:
                outcome = await self.lifespan.call(engine, call)
                llm = CallerModel() if self.asks_caller else engine.loom.llm
                return outcome, _response_meta(outcome, call, llm, started, target.notes)
        except DatabaseUnavailable:
            if not call.graph.stateless:
                raise
        except SessionNotFound as error:
            if self.lenient:
                _offer_new_session(error, prepared.request)
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
        placed = caller.reading(user)
        if placed.space == NOWHERE and self.served.line.effect is Effect.ADDS:
            reason = "userId: must be the owner that the token names"
            raise InvalidArgument(reason, field="userId")
        return placed

    async def _engine(self) -> Engine:
        """Return the engine; one that opens too slowly continues opening for the next call."""
        seconds = self.lifespan.settings.tool_timeout
        try:
            async with asyncio.timeout(seconds):
                return await self.lifespan.engine()
        except TimeoutError:
            raise TimedOut(f"the database did not open within {seconds:g} s; try again") from None


def _offer_new_session(error: SessionNotFound, request: Request) -> None:
    """Add the same call without the session to an error, where a call may begin one."""
    known = type(request).model_fields.get("session_id")
    if known is None or known.is_required():
        return
    name = known.alias or "session_id"
    given = request.model_dump(mode="json", by_alias=True, exclude_unset=True)
    given.pop(name, None)
    error.message += f"; leave {name} out to begin a session"
    error.example = example_call(type(request), given)


def _response_meta(
    outcome: Outcome, call: Call, llm: LanguageModel, started: float, notes: Sequence[str] = ()
) -> ResponseMeta:
    return ResponseMeta(
        notes=[*outcome.notes, *notes],
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
        links=AnswerLinks.of(catalogue),
        asks_caller=waits,
        lenient=not catalogue.is_reference,
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
