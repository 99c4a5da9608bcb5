"""Calls of tools from Python: recorded runs of one user on an open engine."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from reasonloom.contracts.base import Answer, Request
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.runs import ReasoningAnswer
from reasonloom.errors import Conflict
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.answers import Given, GivenReply, answer_run
from reasonloom.graphs.runs.call import Call, Outcome, Report, no_report
from reasonloom.llm.providers.caller import CALLER
from reasonloom.server.toolsets.toolset import ToolLine

if TYPE_CHECKING:
    from reasonloom.graphs.runs.engine import Engine

T = TypeVar("T")


class ToolCalls:
    """Runs tools for a user, in the event loop that opened the engine.

    With `own_thread` that loop runs in a thread of its own, and calls may come from any other.
    """

    def __init__(self, engine: Engine, user: str, *, own_thread: bool = False) -> None:
        self.user = user
        self.closed = False
        self._engine = engine
        self._loop = asyncio.get_running_loop()
        self._own_thread = own_thread
        self._caller = Caller(user, client="python", project=engine.loom.settings.project)

    def of_user(self, user: str) -> ToolCalls:
        """Return the calls of another user on the same engine."""
        calls = copy(self)
        calls.user, calls._caller = user, replace(self._caller, owner=user)
        return calls

    async def run(
        self,
        line: ToolLine,
        request: Request,
        *,
        key: str | None = None,
        report: Report = no_report,
    ) -> Outcome:
        """Run a tool; with an idempotency `key`, a repeated call returns the recorded answer."""
        call = Call(
            tool=line.name,
            graph=load_graph(line.graph),
            request=request.model_dump(mode="json", by_alias=True, exclude_unset=True),
            caller=self._caller.within(request.space()),
            key=key,
            report=report,
            asks_caller=self._engine.loom.settings.llm == CALLER and line.open_world,
        )
        return await self._in_own_loop(self._engine.call(call))

    async def resume(
        self, given: ReasoningAnswer, report: Report = no_report
    ) -> tuple[Outcome, str]:
        """Record replies to a waiting run; return its outcome and its tool."""
        replies = Given([GivenReply(each.id, each.reply) for each in given.answers], given.check)
        found = await self._in_own_loop(
            answer_run(self._engine, self._caller, given.run_id, replies, report)
        )
        return found.outcome, found.run.tool

    def read(self, line: ToolLine, outcome: Outcome) -> Answer:
        """Return an outcome as the tool's answer, or as the questions of a waiting run."""
        if outcome.round is None:
            answer: Answer = line.answer.model_validate(line.answered(outcome.answer))
        else:
            from reasonloom.server.questions import needs_answers  # noqa: PLC0415 - loads mcp

            limit = self._engine.loom.settings.output_tokens
            answer = needs_answers(outcome.run_id, outcome.round, limit)
        return answer.of_call(outcome.run_id, outcome.notes)

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` in the engine's event loop from another thread, and return its result.

        Raises:
            Conflict: called from that event loop itself, which would wait for ever.
        """
        if self.closed or _running_loop() is self._loop:
            work.close()
            raise Conflict(CLOSED if self.closed else OWN_LOOP)
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _in_own_loop(self, work: Coroutine[Any, Any, T]) -> T:
        here = _running_loop() is self._loop
        if self.closed or not (here or self._own_thread):
            work.close()
            raise Conflict(CLOSED if self.closed else OTHER_LOOP)
        if here:
            return await work
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))


CLOSED = "this loom is closed; open another one"
OWN_LOOP = "this is the loom's own event loop; await the async method instead"
OTHER_LOOP = "this loom belongs to another event loop; open one in each loop, or use open_sync"


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
