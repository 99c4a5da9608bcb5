"""Calls of tools from Python: recorded runs of one user on an open engine."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import CancelledError as FutureCancelled
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import Context, copy_context
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from reasonloom.contracts.base import Answer, Request
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.runs import ReasoningAnswer
from reasonloom.errors import Conflict
from reasonloom.llm.providers.callbacks import call_config
from reasonloom.server.toolsets.toolset import ToolLine

if TYPE_CHECKING:
    from reasonloom.graphs.runs.call import Outcome, Report
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.nodes.execution import Loom as Services
    from reasonloom.server.engine_lifespan import EngineLifespan
    from reasonloom.stores.runs.questions import QuestionRow

T = TypeVar("T")
CALL_CONFIG = ("callbacks", "tags", "metadata")
"""Parts of a surrounding graph's config that apply to the model calls of a run."""

BLOCKED = 10.0
"""Seconds after which an event loop that does not answer is taken to be blocked."""


@dataclass(slots=True)
class _Active:
    """The calls of one engine that have not returned."""

    closed: bool = False
    futures: set[Future[Any] | asyncio.Task[Any]] = field(default_factory=set)


NO_MODEL = "no language model answered; set REASONLOOM_LLM for one"


class ToolCalls:
    """Runs tools for a user, in the event loop that it is made in; the first call loads the engine.

    With `own_thread` that loop runs in a thread of its own, and calls may come from any other.
    With `asks_caller` the caller acts as the language model.
    """

    def __init__(
        self, lifespan: EngineLifespan, *, asks_caller: bool = False, own_thread: bool = False
    ) -> None:
        settings = lifespan.settings
        self.user = settings.user
        self._lifespan = lifespan
        self._loop = asyncio.get_running_loop()
        self._asks_caller = asks_caller
        self._own_thread = own_thread
        self._active = _Active()
        self._caller = Caller(self.user, client="python", project=settings.project)

    def of_user(self, user: str) -> ToolCalls:
        """Return the calls of another user on the same engine."""
        calls = copy(self)
        calls.user, calls._caller = user, replace(self._caller, owner=user)
        return calls

    def close(self) -> None:
        """Cancel the calls that have not returned, and refuse others."""
        self._active.closed = True
        for future in list(self._active.futures):
            future.cancel()

    async def engine(self) -> Engine:
        """Return the engine, loaded on first use.

        Raises:
            Conflict: the loom is closed, or belongs to another event loop.
            DatabaseUnavailable: it cannot be opened now; the next call tries again.
        """
        if opened := self._lifespan.opened:
            return opened
        return await self._in_own_loop(self._lifespan.engine())

    def require_usable(self) -> None:
        """Require that calls can be made here.

        Raises:
            Conflict: the loom is closed, or belongs to another event loop.
        """
        here = self._own_thread or _running_loop() is self._loop
        if self._active.closed or not here:
            raise Conflict(CLOSED if self._active.closed else OTHER_LOOP)

    async def run(
        self,
        line: ToolLine,
        request: Request,
        *,
        key: str | None = None,
        report: Report | None = None,
    ) -> Outcome:
        """Run a tool; with an idempotency `key`, a repeated call returns the recorded answer."""
        engine = await self.engine()
        from reasonloom.graphs.graph import load_graph
        from reasonloom.graphs.runs.call import Call, no_report

        target = line.target(request)
        call = Call(
            tool=target.line.name,
            graph=load_graph(target.line.graph),
            request=target.request.model_dump(mode="json", by_alias=True, exclude_unset=True),
            caller=self._caller.within(request.space()),
            key=key,
            report=report or no_report,
            asks_caller=self._asks_caller and line.open_world,
        )
        outcome = await self._in_own_loop(engine.call(call))
        if outcome.round is not None:
            return outcome
        answer = line.answered(outcome.answer, target.line.name, outcome.run_id)
        unanswered = engine.loom.llm.offline and call.graph.saved and line.open_world
        notes = [*outcome.notes, *target.notes, *((NO_MODEL,) if unanswered else ())]
        return replace(outcome, answer=answer, notes=notes)

    async def with_loom(self, work: Callable[[Services, Caller], Coroutine[Any, Any, T]]) -> T:
        """Return the result of work on the engine's services that is no run."""
        engine = await self.engine()
        return await self._in_own_loop(work(engine.loom, self._caller))

    async def resume(
        self, given: ReasoningAnswer, report: Report | None = None
    ) -> tuple[Outcome, str]:
        """Record replies to a waiting run; return its outcome and its tool."""
        engine = await self.engine()
        from reasonloom.graphs.runs.answers import Given, GivenReply, answer_run
        from reasonloom.graphs.runs.call import no_report

        replies = Given([GivenReply(each.id, each.reply) for each in given.answers], given.check)
        found = await self._in_own_loop(
            answer_run(engine, self._caller, given.run_id, replies, report or no_report)
        )
        return found.outcome, found.run.tool

    async def answered_rounds(self, outcome: Outcome) -> int:
        """Return how many rounds of a run's questions have been answered."""
        if outcome.round is not None:
            return outcome.round.number - 1
        if not self._asks_caller:
            return 0
        found = await self._in_own_loop(self._questions(outcome))
        return max((each.round for each in found), default=0)

    async def _questions(self, outcome: Outcome) -> list[QuestionRow]:
        from reasonloom.stores.runs import questions

        engine = await self._lifespan.engine()
        async with engine.loom.database.begin(self._caller, once=True) as tx:
            return await questions.of_run(tx, outcome.run_id)

    def read(self, line: ToolLine, outcome: Outcome) -> Answer:
        """Return an outcome as the tool's answer, or as the questions of a waiting run."""
        if outcome.round is None:
            answer: Answer = line.answer.model_validate(outcome.answer)
        else:
            from reasonloom.server.questions import needs_answers

            limit = self._lifespan.settings.output_tokens
            answer = needs_answers(outcome.run_id, outcome.round, limit)
        return answer.of_call(outcome.run_id, outcome.notes)

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` in the engine's event loop from another thread, and return its result.

        Raises:
            Conflict: the loom is closed, or that event loop is blocked, as by its own thread.
        """
        if self._active.closed or _running_loop() is self._loop or self._is_blocked():
            work.close()
            raise Conflict(CLOSED if self._active.closed else OWN_LOOP)
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            with _listed(self._active, future):
                return future.result()
        except FutureCancelled:
            raise Conflict(CLOSED) from None
        except BaseException:
            future.cancel()
            raise

    def _is_blocked(self) -> bool:
        if self._own_thread:
            return False
        answer = asyncio.run_coroutine_threadsafe(asyncio.sleep(0), self._loop)
        try:
            answer.result(BLOCKED)
        except TimeoutError:
            answer.cancel()
            return True
        return False

    async def _in_own_loop(self, work: Coroutine[Any, Any, T]) -> T:
        """Await work in the engine's loop, outside of a surrounding graph.

        With that graph's config, our graphs would be its subgraphs. Calls of a chat model still
        report to its callbacks.
        """
        try:
            self.require_usable()
        except Conflict:
            work.close()
            raise
        context = _outside_of_graph()
        try:
            if _running_loop() is self._loop:
                task = self._loop.create_task(work, context=context)
                with _listed(self._active, task):
                    return await task
            future = context.run(asyncio.run_coroutine_threadsafe, work, self._loop)
            with _listed(self._active, future):
                return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            if self._active.closed:
                raise Conflict(CLOSED) from None
            raise


def _outside_of_graph() -> Context:
    if "langchain_core.runnables.config" not in sys.modules:
        return copy_context()  # no graph runs without it
    from langchain_core.runnables.config import var_child_runnable_config

    config = var_child_runnable_config.get() or {}
    kept: Any = {name: value for name, value in config.items() if name in CALL_CONFIG}
    context = copy_context()
    context.run(var_child_runnable_config.set, None)
    context.run(call_config.set, kept)
    return context


@contextmanager
def _listed(active: _Active, future: Future[Any] | asyncio.Task[Any]) -> Iterator[None]:
    active.futures.add(future)
    try:
        yield
    finally:
        active.futures.discard(future)


CLOSED = "this loom is closed; open another one"
OWN_LOOP = (
    "the loom's event loop is blocked, as by a synchronous call in its own thread; await the "
    "async method instead, or use open_sync"
)
OTHER_LOOP = "this loom belongs to another event loop; open one in each loop, or use open_sync"


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
