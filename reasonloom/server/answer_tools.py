"""`reasoning_answer` and `reasoning_waiting`, by which the calling model answers waiting runs."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver.context import Context
from mcp_types import CallToolResult, InputRequiredResult, ToolAnnotations

from reasonloom.contracts.base import Request
from reasonloom.contracts.example_calls import parse_leniently
from reasonloom.contracts.runs import ReasoningAnswer, ReasoningWaiting, WaitingRun, WaitingRuns
from reasonloom.contracts.schema import publish
from reasonloom.contracts.validation import parse_request
from reasonloom.errors import Conflict, RunNotFound
from reasonloom.server.answer_size import require_size
from reasonloom.server.auth.principal import caller_of, scopes_of
from reasonloom.server.auth.scopes import allows
from reasonloom.server.base_tool import BaseTool, call_result
from reasonloom.server.catalogue.run_links import AnswerLinks
from reasonloom.server.catalogue.served import Catalogue, ServedTool
from reasonloom.server.daily_limit import require_daily_credit
from reasonloom.server.elicitation.dialog import PairDialog
from reasonloom.server.elicitation.settling import Settling
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.server.envelopes.envelope import ResponseMeta
from reasonloom.server.envelopes.plain_json import PLAIN
from reasonloom.server.questions import questions_result
from reasonloom.server.tasks.results import answered_result
from reasonloom.server.tool import report_step

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.answers import Answered
    from reasonloom.graphs.runs.call import Outcome
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.stores.runs.runs import RunRow


HOW_TO_CONTINUE = "Call reasoning_waiting with a run_id to get the open questions of that run."
NONE_WAITS = "No run waits for an answer."


class RunTool(BaseTool):
    """A tool about runs of other tools, limited to those that the caller's token allows.

    `asking` maps the tools whose runs can wait to the served tools that begin such runs.
    """

    asking: dict[str, ServedTool]
    lifespan: EngineLifespan
    request: type[Request]
    links: AnswerLinks

    @property
    def output_schema(self) -> dict[str, Any]:
        """An object: the answer of any tool, or questions."""
        return {"type": "object"}

    def allowed(self, context: Context[Any, Any]) -> frozenset[str]:
        """Return the tools whose runs the caller's token allows."""
        scopes = scopes_of(context.request_context)
        return frozenset(
            name
            for name, served in self.asking.items()
            if scopes is None or allows(scopes, served.needed)
        )


class AnswerTool(RunTool):
    """Accepts replies, and returns the run's next questions or its tool's answer."""

    async def answer(
        self, arguments: dict[str, Any], context: Context[Any, Any], started: float
    ) -> CallToolResult | InputRequiredResult:
        """Return the run's next questions or final answer after these replies.

        A pair of memories that the answer leaves open is put to the user.

        Raises:
            RunNotFound: the caller has no such run, or its token does not allow the run's tool.
            DailyLimit: the owner has used up the day's tokens.
        """
        request = parse_leniently(ReasoningAnswer, arguments)
        from reasonloom.graphs.runs.answers import (  # noqa: PLC0415 - heavy
            Given,
            GivenReply,
            answer_run,
        )
        from reasonloom.graphs.runs.resume import find_run  # noqa: PLC0415

        settings = self.lifespan.settings
        engine, caller = await self.lifespan.engine(), caller_of(settings, context)
        row = await find_run(engine, caller, request.run_id)
        if row.tool in self.asking and row.tool not in self.allowed(context):
            raise RunNotFound(request.run_id, field="run_id")
        await require_daily_credit(engine, caller, row.tool, row.key, asks_caller=True)
        given = Given([GivenReply(each.id, each.reply) for each in request.answers], request.check)
        report = partial(report_step, context)
        work = partial(answer_run, engine, caller, request.run_id, given, report)
        answered = await self._settled(work, row, caller, context)
        if isinstance(answered, InputRequiredResult):
            return answered
        result = self._result(answered, started)
        served, outcome = self.asking.get(answered.run.tool), answered.outcome
        if served and outcome.round is None and answered.run.space == caller.space:
            ctx = context.request_context
            result = self.links.add(result, served, ctx, outcome.run_id, outcome.answer)
        require_size(result, settings.answer_characters, (), str(answered.outcome.run_id))
        return result

    async def _settled(
        self,
        work: Callable[[], Awaitable[Answered]],
        row: RunRow,
        caller: Caller,
        context: Context[Any, Any],
    ) -> Answered | InputRequiredResult:
        """Answer the run; a pair of memories that it leaves open is put to the user."""
        from reasonloom.graphs.runs.answers import Answered  # noqa: PLC0415 - heavy

        served, settings = self.asking.get(row.tool), self.lifespan.settings
        able = served is not None and served.line.unsettled is not None
        dialog = PairDialog.of(context, settings, served.toolset) if served and able else None
        if served is None or dialog is None:
            return await work()

        async def run(key: str | None) -> tuple[Outcome, ResponseMeta]:
            return (await work()).outcome, ResponseMeta()

        request = parse_request(served.line.request, row.input)
        owner = caller.within(row.space or None)
        settling = Settling(dialog, served.line, request, owner, self.lifespan.engine, run)
        found = await settling.outcome()
        if isinstance(found, InputRequiredResult):
            return found
        outcome, meta = found
        return Answered(row, replace(outcome, notes=[*outcome.notes, *meta.notes]))

    def _result(self, answered: Answered, started: float) -> CallToolResult:
        outcome, run = answered.outcome, answered.run
        if outcome.round is not None:
            most = self.lifespan.settings.output_tokens
            return questions_result(outcome.run_id, outcome.round, most)
        seconds = time.perf_counter() - started
        served, settings = self.asking.get(run.tool), self.lifespan.settings
        return answered_result(served, run, outcome, seconds, settings)


class WaitingTool(RunTool):
    """Lists the runs that wait, or returns the questions of one."""

    async def answer(
        self, arguments: dict[str, Any], context: Context[Any, Any], started: float
    ) -> CallToolResult:
        """Return the waiting runs that the caller's token allows, or the questions of one run.

        Raises:
            RunNotFound: the caller has no such run, or its token does not allow the run's tool.
            Conflict: the named run is not waiting.
        """
        request = parse_leniently(ReasoningWaiting, arguments)
        engine = await self.lifespan.engine()
        caller = caller_of(self.lifespan.settings, context)
        if request.run_id is not None:
            return await self._questions(engine, caller, request.run_id, context)
        return await self._listed(engine, caller, context)

    async def _questions(
        self, engine: Engine, caller: Caller, run_id: str, context: Context[Any, Any]
    ) -> CallToolResult:
        from reasonloom.graphs.runs.resume import find_run  # noqa: PLC0415
        from reasonloom.stores.runs.runs import WAITING  # noqa: PLC0415

        row = await find_run(engine, caller, run_id)
        if row.tool in self.asking and row.tool not in self.allowed(context):
            raise RunNotFound(run_id, field="run_id")
        if row.status != WAITING:
            raise Conflict(f"run {run_id} of {row.tool} does not wait; it is {row.status}")
        opened = await engine.open_round(caller.within(row.space or None), row)
        return questions_result(row.id, opened, self.lifespan.settings.output_tokens)

    async def _listed(
        self, engine: Engine, caller: Caller, context: Context[Any, Any]
    ) -> CallToolResult:
        from reasonloom.graphs.runs.answers import close_abandoned  # noqa: PLC0415 - heavy
        from reasonloom.stores.runs import questions  # noqa: PLC0415

        allowed, days = self.allowed(context), timedelta(days=engine.loom.settings.wait_days)
        await close_abandoned(engine, caller)
        async with engine.loom.database.begin(caller) as tx:
            found = await questions.waiting_runs(tx)
        listed = [
            WaitingRun(
                run_id=str(each.id),
                tool=each.tool,
                about=each.about,
                round=each.round,
                open_questions=each.open,
                waiting_since=each.since.astimezone(UTC).isoformat(),
                expires_at=(each.since + days).astimezone(UTC).isoformat(),
            )
            for each in found
            if each.tool in allowed or each.tool not in self.asking
        ]
        answer = WaitingRuns(next=HOW_TO_CONTINUE if listed else NONE_WAITS, runs=listed).wire()
        return call_result(self.envelope.success(answer, ResponseMeta()), failed=False)


def answer_tools(catalogue: Catalogue, lifespan: EngineLifespan) -> list[RunTool]:
    """Return the tools for waiting runs; none if no served tool can wait."""
    asking = catalogue.model_tools
    if not asking:
        return []
    parts = {"envelope": PLAIN, "asking": asking, "lifespan": lifespan}
    parts |= {"links": AnswerLinks.of(catalogue)}
    return [
        AnswerTool(
            name="reasoning_answer",
            title="Answer a waiting run",
            description=ReasoningAnswer.__doc__ or "",
            parameters=publish(ReasoningAnswer),
            request=ReasoningAnswer,
            annotations=ToolAnnotations(
                read_only_hint=False,
                destructive_hint=False,
                idempotent_hint=True,
                open_world_hint=False,
            ),
            **parts,
        ),
        WaitingTool(
            name="reasoning_waiting",
            title="List waiting runs",
            description=ReasoningWaiting.__doc__ or "",
            parameters=publish(ReasoningWaiting),
            request=ReasoningWaiting,
            annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
            **parts,
        ),
    ]
