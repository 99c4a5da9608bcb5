"""Tasks that are runs: the id of a task is that of its run, and the table of runs keeps both."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar
from uuid import UUID, uuid4

from mcp.server.context import HandlerResult
from mcp.server.mcpserver.context import Context
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, CallToolRequestParams, CallToolResult

from reasonloom.errors import ReasonloomError, RunNotFound
from reasonloom.server.auth.principal import caller_of, scopes_of
from reasonloom.server.auth.scopes import allows
from reasonloom.server.catalogue.run_links import AnswerLinks
from reasonloom.server.tasks.run_status import STATUSES, as_task, task_of
from reasonloom.server.tasks.sampling import given_replies
from reasonloom.server.tasks.task import Ctx, Task, unknown_task
from reasonloom.server.tool import CallOptions, LoomTool

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.call import Step
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.graphs.runs.run_state import RunState
    from reasonloom.server.catalogue.served import Catalogue, ServedTool
    from reasonloom.server.engine_lifespan import EngineLifespan
    from reasonloom.stores.runs.runs import RunRow

T = TypeVar("T")
KEY = "task {tool} {id}"
KEY_PARTS = re.compile(r"task (?P<tool>\w+) [0-9a-f-]{36}")
"""The idempotency key of a task whose client gave none."""

REPLY_SECONDS = 1.0
"""Seconds that `tasks/update` waits for the run before the run continues in the background."""


@dataclass(frozen=True, slots=True)
class KnownTask:
    """A task that a request may see: its run's state, and the tool that began it."""

    engine: Engine
    caller: Caller
    served: ServedTool
    state: RunState
    links: AnswerLinks

    async def task(self, ctx: Ctx) -> Task:
        """Return it as its client may read it."""
        able = ctx.session.client_capabilities
        samples = able is not None and able.sampling is not None
        task = await task_of(self.engine, self.caller, self.served, self.state, samples=samples)
        outcome = self.state.outcome
        if task.result is None or outcome is None or self.caller.space:
            return task
        run_id, answer = outcome.run_id, outcome.answer
        return replace(task, result=self.links.add(task.result, self.served, ctx, run_id, answer))


class RunTasks:
    """Runs of tools that use a language model, as tasks.

    `permit` raises `MCPError` if a request may not call a tool.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        tools: Sequence[LoomTool],
        lifespan: EngineLifespan,
        permit: Callable[[Ctx, str], None],
    ) -> None:
        self._by_run_tool = catalogue.model_tools
        self._tools = {each.name: each for each in tools if each.served.line.open_world}
        self._lifespan = lifespan
        self._links = AnswerLinks.of(catalogue)
        self._permit = permit
        self._kept = timedelta(days=lifespan.settings.task_days)
        self._working: Counter[str] = Counter()
        self._finishing: set[UUID] = set()

    def supports(self, tool: str) -> bool:
        """Return whether calls of a tool can be tasks."""
        return tool in self._tools

    async def begin(
        self, ctx: Ctx, params: CallToolRequestParams, *, required: bool
    ) -> Task | HandlerResult:
        """Call a tool as a task; see `TaskSource.begin`.

        Only if `required` where that takes no time: a calling model gets its questions at once,
        and without a language model the result is there at once.
        """
        tool = self._tools[params.name]
        if not required and (tool.asks_caller or (await self._engine()).loom.llm.offline):
            return None
        self._permit(ctx, params.name)
        caller = self._caller(ctx)
        self._require_room(caller.owner)
        begun: asyncio.Future[UUID] = asyncio.get_running_loop().create_future()
        work = self._lifespan.start(self._run(tool, ctx, params, begun))
        self._working[caller.owner] += 1
        work.add_done_callback(lambda _: self._working.subtract([caller.owner]))
        try:
            await asyncio.wait((work,) if tool.asks_caller else (work, begun),
                               return_when=asyncio.FIRST_COMPLETED)  # fmt: skip
        except asyncio.CancelledError:
            work.cancel()
            raise
        if work.done() and not required:
            return work.result()
        if not begun.done():
            _refuse(work.result())
        return await self.find(ctx, str(begun.result()))

    async def _run(
        self,
        tool: LoomTool,
        ctx: Ctx,
        params: CallToolRequestParams,
        begun: asyncio.Future[UUID],
    ) -> CallToolResult:
        """Run a tool to its end; set `begun` to its run's id as soon as the run is stored."""

        def note(run_id: UUID) -> None:
            if not begun.done():
                begun.set_result(run_id)

        async def report(step: Step) -> None:
            note(step.run_id)

        options = CallOptions(report, note, KEY.format(tool=tool.name, id=uuid4()))
        context: Context[Any, Any] = Context(request_context=ctx)
        return await tool.run_with(params.arguments or {}, context, options)

    def _require_room(self, owner: str) -> None:
        """Limit the tasks of an owner that this process works on.

        Raises:
            MCPError: there are too many.
        """
        most = self._lifespan.settings.caller_concurrency
        if self._working[owner] >= most:
            reason = f"{most} tasks are at work (REASONLOOM_CALLER_CONCURRENCY); try again later"
            raise MCPError(code=INTERNAL_ERROR, message=reason, data={"retryable": True})

    async def find(self, ctx: Ctx, task_id: str) -> Task:
        """Return a task; an interrupted one is resumed."""
        known = await self._known(ctx, task_id)
        row = known.state.current
        if known.state.error is None and (row is None or row.status == "interrupted"):
            self._finish(known)
        return await known.task(ctx)

    async def newest(self, ctx: Ctx, after: str | None, limit: int) -> Sequence[Task]:
        """Return the owner's tasks, newest first, without results; none is resumed."""
        from reasonloom.stores.runs import run_lists  # noqa: PLC0415 - heavy

        last = None if after is None else (await self._known(ctx, after)).state.first.id
        engine, caller = await self._engine(), self._caller(ctx)
        tools = [name for name, each in self._by_run_tool.items() if _allowed(ctx, each)]
        since = engine.loom.clock() - self._kept if self._kept else None
        async with engine.loom.database.begin(caller) as tx:
            rows = await run_lists.of_tools(tx, tools, since=since, after=last, limit=limit)
        return [as_task(row, status=STATUSES[row.status]) for row in rows]

    async def update(self, ctx: Ctx, task_id: str, responses: Mapping[str, Any]) -> None:
        """Take a language model's replies to the open questions of a waiting run."""
        from reasonloom.graphs.runs.answers import Given, GivenReply, answer_run  # noqa: PLC0415

        known = await self._known(ctx, task_id)
        replies = given_replies(responses, (await known.task(ctx)).requests)
        if not replies or known.state.current is None:
            return
        given = Given([GivenReply(name, text) for name, text in replies.items()])
        run_id = str(known.state.current.id)
        work = self._lifespan.start(_caught(answer_run(known.engine, known.caller, run_id, given)))
        await asyncio.wait((work,), timeout=REPLY_SECONDS)
        answered = work.result() if work.done() else None
        if isinstance(answered, ReasonloomError):
            raise MCPError(code=INVALID_PARAMS, message=answered.message)
        round_ = answered.outcome.round if answered else None
        for key, fault in (round_.misfits if round_ else {}).items():
            reason = f"inputResponses.{key}: {fault}; other responses were kept"
            raise MCPError(code=INVALID_PARAMS, message=reason)

    async def cancel(self, ctx: Ctx, task_id: str) -> None:
        """Cancel a run, whichever process executes it."""
        from reasonloom.graphs.runs.run_state import cancel  # noqa: PLC0415 - heavy

        known = await self._known(ctx, task_id)
        await cancel(known.engine, known.caller, known.state)

    def _finish(self, known: KnownTask) -> None:
        """Resume an interrupted run in the background, once."""
        from reasonloom.graphs.runs.run_state import finish  # noqa: PLC0415 - heavy

        run_id = known.state.first.id
        if run_id in self._finishing:
            return
        self._finishing.add(run_id)
        work = self._lifespan.start(_caught(finish(known.engine, known.caller, known.state)))
        work.add_done_callback(lambda _: self._finishing.discard(run_id))

    async def _known(self, ctx: Ctx, task_id: str) -> KnownTask:
        """Return a task of the request's owner.

        Raises:
            MCPError: the owner has no such task, its token does not allow its tool, or it is too
                old.
        """
        from reasonloom.graphs.runs.resume import find_run  # noqa: PLC0415 - heavy
        from reasonloom.graphs.runs.run_state import state_of  # noqa: PLC0415

        engine, caller = await self._engine(), self._caller(ctx)
        try:
            row = await find_run(engine, caller, task_id)
        except RunNotFound:
            raise unknown_task(task_id) from None
        served = self._served(row)
        if served is None or not _allowed(ctx, served):
            raise unknown_task(task_id)
        if self._kept and row.created_at < engine.loom.clock() - self._kept:
            raise MCPError(code=INVALID_PARAMS, message=f"Task has expired: {row.id}")
        caller = caller.within(row.space or None)
        state = await state_of(engine, caller, row)
        return KnownTask(engine, caller, served, state, self._links)

    def _served(self, row: RunRow) -> ServedTool | None:
        """Return the tool that began a run, None if it is not served here."""
        began = KEY_PARTS.fullmatch(row.key or "")
        tool = self._tools.get(began["tool"]) if began else None
        if tool and row.tool in tool.served.line.runs:
            return tool.served
        return self._by_run_tool.get(row.tool)

    def _caller(self, ctx: Ctx) -> Caller:
        return caller_of(self._lifespan.settings, Context(request_context=ctx))

    async def _engine(self) -> Engine:
        try:
            return await self._lifespan.engine()
        except ReasonloomError as error:
            data = {"retryable": getattr(error, "retryable", False)}
            raise MCPError(code=INTERNAL_ERROR, message=error.message, data=data) from None


def _allowed(ctx: Ctx, served: ServedTool) -> bool:
    scopes = scopes_of(ctx)
    return scopes is None or allows(scopes, served.needed)


async def _caught(work: Awaitable[T]) -> T | ReasonloomError:
    """Return the result or the error of work; the run's row has the error, too."""
    try:
        return await work
    except ReasonloomError as error:
        return error


def _refuse(result: CallToolResult) -> NoReturn:
    """Refuse a call whose client expects a task, but that ended before its run began.

    Raises:
        MCPError: with the text of the result.
    """
    text = "\n".join(getattr(each, "text", "") for each in result.content)
    raise MCPError(code=INVALID_PARAMS, message=text)
