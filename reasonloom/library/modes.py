"""Reasoning modes as LangChain runnables and nodes of LangGraph's graphs."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextvars import copy_context
from typing import Any, TypeVar, cast

from langchain_core.callbacks import adispatch_custom_event
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, convert_to_messages
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config
from langgraph.runtime import Runtime, get_runtime
from langgraph.types import interrupt

from reasonloom.contracts.base import Answer, Request
from reasonloom.contracts.runs import NeedsAnswers, ReasoningAnswer
from reasonloom.contracts.validation import parse_request
from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.call import Outcome, Step
from reasonloom.library.tool_calls import ToolCalls
from reasonloom.library.tool_table import ANSWERS, build_request, positional_names, text_field
from reasonloom.llm.providers.langchain import call_config
from reasonloom.server.envelopes.prose import Prose
from reasonloom.server.envelopes.shape import shape_of
from reasonloom.server.toolsets.toolset import ToolLine

T = TypeVar("T")
STEP_EVENT = "reasonloom_step"
"""Name of the custom event, and of the key in the custom stream, for each step of a run."""

CALL_CONFIG = ("callbacks", "tags", "metadata")
"""Parts of a config that apply to the model calls of a run."""

OnStep = Callable[[Step], Awaitable[None]]


class Mode(Runnable[Any, Any]):
    """A reasoning mode; every invocation is a recorded run.

    The input is a text, a message, a dict of the tool's arguments, or the state of a graph: with
    `input_key` the text is under that key, else the last human message under `messages` is it. The
    output is the mode's answer; for a graph's state it is an update: the answer as a dict under
    `output_key`, else a message under `messages`.

    In a graph of LangGraph's, the run belongs to the graph's task: a task that is executed again
    gets the recorded answer. Where the caller is the language model, questions are raised as an
    interrupt, and `Command(resume=[{"id": "r1q1", "reply": ...}])` answers them.
    """

    def __init__(
        self,
        calls: ToolCalls,
        line: ToolLine,
        arguments: Mapping[str, Any],
        *,
        input_key: str | None = None,
        output_key: str | None = None,
    ) -> None:
        self.name = line.name
        self._calls = calls
        self._line = line
        self._arguments = dict(arguments)
        self._input_key = input_key
        self._output_key = output_key
        self._text = text_field(line) or positional_names(line)[0]
        self._build({self._text: "text"})

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run the mode and return its answer.

        Raises:
            InvalidArgument: the input is no text, or has an unknown key.
            ReasonloomError: any deliberate error of the mode.
        """
        return await self._acall_with_config(self._answered, input, config, run_type="chain")

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run the mode from a thread without the loom's event loop, and return its answer."""
        return self._call_with_config(self._answered_blocking, input, config, run_type="chain")

    async def astream(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[Any]:
        """Yield each `Step` of the run as it begins, and the answer last."""
        steps: asyncio.Queue[Step | None] = asyncio.Queue()

        async def answered(given: Any) -> Any:
            try:
                return await self._answered(given, steps.put)
            finally:
                await steps.put(None)

        work = asyncio.ensure_future(
            self._acall_with_config(answered, input, config, run_type="chain")
        )
        try:
            while step := await steps.get():
                yield step
            yield await work
        finally:
            work.cancel()

    async def atransform(
        self, input: AsyncIterator[Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[Any]:
        """Yield the answer alone, for runnables that come after it in a sequence."""
        chunks = [chunk async for chunk in input]
        if chunks:
            yield await self.ainvoke(_joined(chunks), config, **kwargs)

    async def _answered(self, given: Any, on_step: OnStep | None = None) -> Any:
        request = self._request(given)
        key, in_graph = _task_key(self._line, request)
        report = _reporter(on_step)
        outcome = await _outside(self._calls.run(self._line, request, key=key, report=report))
        while outcome.round and in_graph:
            replies = self._replies(outcome)
            outcome, _ = await _outside(self._calls.resume(replies, report))
        return self._output(given, self._calls.read(self._line, outcome))

    def _answered_blocking(self, given: Any) -> Any:
        request = self._request(given)
        key, in_graph = _task_key(self._line, request)
        outcome = self._calls.wait_for(self._calls.run(self._line, request, key=key))
        while outcome.round and in_graph:
            replies = self._replies(outcome)
            outcome, _ = self._calls.wait_for(self._calls.resume(replies))
        return self._output(given, self._calls.read(self._line, outcome))

    def _build(self, given: Mapping[str, Any]) -> Request:
        return build_request(self._line, self._calls.user, (), {**self._arguments, **given})

    def _request(self, given: Any) -> Request:
        """Return the tool's request for an input.

        Raises:
            InvalidArgument: there is no text in it.
        """
        if isinstance(given, Mapping) and self._input_key:
            if self._input_key not in given:
                raise InvalidArgument(
                    f"{self._input_key}: is not in the state; its keys are {', '.join(given)}",
                    field=self._input_key,
                )
            return self._build({self._text: _text(given[self._input_key])})
        if isinstance(given, Mapping) and "messages" not in given:
            return self._build(given)
        return self._build({self._text: _text(given)})

    def _replies(self, outcome: Outcome) -> ReasoningAnswer:
        """Interrupt the graph with the open questions; return the replies once it is resumed."""
        questions = cast("NeedsAnswers", self._calls.read(self._line, outcome))
        resumed = interrupt(questions.wire())
        given = resumed if isinstance(resumed, Mapping) else {"answers": resumed}
        return parse_request(ReasoningAnswer, {**given, "run_id": questions.run_id})

    def _output(self, given: Any, answer: Answer) -> Any:
        if not isinstance(given, Mapping) or isinstance(answer, NeedsAnswers):
            return answer
        if self._output_key:
            return {self._output_key: answer.wire()}
        if "messages" in given:
            return {"messages": [message_of(answer, self._line.name)]}
        return answer


def message_of(answer: Answer, tool: str) -> AIMessage:
    """Return an answer as a message of the tool."""
    return AIMessage(text_of(answer), name=tool)


def text_of(answer: Answer) -> str:
    """Return an answer as text, as a client of the MCP server reads it."""
    return Prose(ANSWERS).write(shape_of(type(answer)), answer.wire())


def _text(given: Any) -> str:
    """Return the text of an input: itself, a message's, or the last human message's."""
    if isinstance(given, Mapping):
        given = given.get("messages")
    if isinstance(given, Sequence) and not isinstance(given, str) and given:
        try:
            messages = convert_to_messages(given)
        except (NotImplementedError, ValueError):
            messages = []
        humans = [each for each in messages if isinstance(each, HumanMessage)]
        given = next(iter([*reversed(humans), *reversed(messages)]), None)
    if isinstance(given, BaseMessage):
        return str(given.text)
    if isinstance(given, str):
        return given
    raise InvalidArgument(
        "input: must be a text, a message, a dict of arguments or a state with messages, such as "
        f'"Where should we eat?"; not {type(given).__name__}',
        field="input",
    )


def _joined(chunks: Sequence[Any]) -> Any:
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole = whole + chunk
    return whole


def _runtime() -> Runtime[Any] | None:
    """Return the runtime of the graph that executes this task, None outside of a graph."""
    try:
        return get_runtime()
    except (KeyError, RuntimeError):
        return None


def _task_key(line: ToolLine, request: Request) -> tuple[str | None, bool]:
    """Return the idempotency key of the graph's current task, and whether there is a task."""
    runtime = _runtime()
    info = runtime.execution_info if runtime else None
    if info is None:
        return None, False
    if info.thread_id is None:  # without a checkpointer no task is executed again
        return None, True
    arguments = request.model_dump(mode="json", by_alias=True, exclude_unset=True)
    parts = (info.thread_id, info.checkpoint_ns, info.task_id, line.name, arguments)
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    return f"langgraph-{digest}", True


def _reporter(on_step: OnStep | None) -> OnStep:
    """Return a report that sends steps to callbacks, and to the custom stream of a graph."""
    home, context = asyncio.get_running_loop(), copy_context()

    async def send(step: Step) -> None:
        event = {"run_id": str(step.run_id), "step": step.name, "ended": step.ended}
        await adispatch_custom_event(STEP_EVENT, event)
        if runtime := _runtime():
            runtime.stream_writer({STEP_EVENT: event})
        if on_step is not None:
            await on_step(step)

    async def report(step: Step) -> None:
        if asyncio.get_running_loop() is home:
            await home.create_task(send(step), context=context)
        else:  # the engine has a thread of its own
            sent = context.run(asyncio.run_coroutine_threadsafe, send(step), home)
            await asyncio.wrap_future(sent)

    return report


async def _outside(work: Coroutine[Any, Any, T]) -> T:
    """Await a run outside of the surrounding graph, whose config would make it a subgraph.

    Calls of a chat model still report to that config's callbacks.
    """
    config = var_child_runnable_config.get() or {}
    kept: Any = {name: value for name, value in config.items() if name in CALL_CONFIG}
    context = copy_context()
    context.run(var_child_runnable_config.set, None)
    context.run(call_config.set, kept)
    return await asyncio.get_running_loop().create_task(work, context=context)
