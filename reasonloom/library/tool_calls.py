"""Calls of tools from Python: recorded runs of one user on an open engine."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
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
    """Runs tools for a user, in the event loop that opened the engine."""

    def __init__(self, engine: Engine, user: str) -> None:
        self.user = user
        self.closed = False
        self._engine = engine
        self._loop = asyncio.get_running_loop()
        self._caller = Caller(user, client="python", project=engine.loom.settings.project)

    async def run(
        self,
        line: ToolLine,
        request: Request,
        *,
        key: str | None = None,
        report: Report = no_report,
    ) -> Outcome:
        """Run a tool; with an idempotency `key`, a repeated call returns the recorded answer."""
        self._require_usable()
        call = Call(
            tool=line.name,
            graph=load_graph(line.graph),
            request=request.model_dump(mode="json", by_alias=True, exclude_unset=True),
            caller=self._caller.within(request.space()),
            key=key,
            report=report,
            asks_caller=self._engine.loom.settings.llm == CALLER and line.open_world,
        )
        return await self._engine.call(call)

    async def resume(
        self, given: ReasoningAnswer, report: Report = no_report
    ) -> tuple[Outcome, str]:
        """Record replies to a waiting run; return its outcome and its tool."""
        self._require_usable()
        replies = Given([GivenReply(each.id, each.reply) for each in given.answers], given.check)
        found = await answer_run(self._engine, self._caller, given.run_id, replies, report)
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
        try:
            running = asyncio.get_running_loop()
        except RuntimeError:
            running = None
        if running is self._loop or not self._loop.is_running():
            work.close()
            raise Conflict(
                "this loom is closed; open another one"
                if self.closed
                else "this is the loom's own event loop; await the async method instead"
            )
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _require_usable(self) -> None:
        if self.closed:
            raise Conflict("this loom is closed; open another one")
        if asyncio.get_running_loop() is not self._loop:
            raise Conflict(
                "this loom belongs to another event loop; open one in each loop, or use open_sync"
            )
