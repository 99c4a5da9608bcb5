"""Reasoning modes as LangChain runnables and nodes of LangGraph's graphs."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextvars import copy_context
from dataclasses import fields, is_dataclass
from functools import reduce
from operator import add
from threading import Lock
from typing import Annotated, Any, cast

from langchain_core.callbacks import adispatch_custom_event, dispatch_custom_event
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, convert_to_messages
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.runtime import Runtime, get_runtime
from langgraph.types import interrupt
from pydantic import AfterValidator, BaseModel

from reasonloom.contracts.base import Answer, Request
from reasonloom.contracts.runs import NeedsAnswers, ReasoningAnswer
from reasonloom.contracts.validation import parse_request
from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.call import Outcome, Step
from reasonloom.library.tool_calls import ToolCalls
from reasonloom.library.tool_table import ANSWERS, build_request, input_name
from reasonloom.llm.structured_output import Misfit, read_reply
from reasonloom.server.envelopes.prose import Prose, main_text
from reasonloom.server.envelopes.shape import shape_of
from reasonloom.server.toolsets.toolset import ToolLine

STEP_EVENT = "reasonloom_step"
"""Name of the custom event, and of the key in the custom stream, for each step of a run."""

USUAL: Mapping[str, Mapping[str, Any]] = {"think": {"mode": "parallel"}}
"""Arguments by tool that it requires and an input does not have."""

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
        if input_key and not output_key:
            raise InvalidArgument(
                'output_key: is needed with input_key, such as output_key="thought"',
                field="output_key",
            )
        self.name = line.name
        self._calls = calls
        self._line = line
        self._text = input_name(line)
        if self._text in arguments:
            raise InvalidArgument(
                f"{self._text}: is the mode's input; give it to ainvoke", field=self._text
            )
        self._arguments = {**USUAL.get(line.name, {}), **arguments}
        self._input_key = input_key
        self._output_key = output_key
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
            yield await self.ainvoke(reduce(add, chunks), config, **kwargs)

    async def _answered(self, given: Any, on_step: OnStep | None = None) -> Any:
        request = self._request(given)
        key, in_graph = task_key(self._line, request)
        report = _reporter(on_step)
        outcome = await self._calls.run(self._line, request, key=key, report=report)
        if in_graph:
            _replay_interrupts(outcome, await self._calls.answered_rounds(outcome))
            while outcome.round:
                replies = self._replies(outcome)
                outcome, _ = await self._calls.resume(replies, report)
        return self._output(given, self._calls.read(self._line, outcome))

    def _answered_blocking(self, given: Any) -> Any:
        request = self._request(given)
        key, in_graph = task_key(self._line, request)
        wait_for, report = self._calls.wait_for, _blocking_reporter()
        outcome = wait_for(self._calls.run(self._line, request, key=key, report=report))
        if in_graph:
            _replay_interrupts(outcome, wait_for(self._calls.answered_rounds(outcome)))
            while outcome.round:
                replies = self._replies(outcome)
                outcome, _ = wait_for(self._calls.resume(replies, report))
        return self._output(given, self._calls.read(self._line, outcome))

    def _build(self, given: Mapping[str, Any]) -> Request:
        return build_request(self._line, self._calls.user, (), {**self._arguments, **given})

    def _request(self, given: Any) -> Request:
        """Return the tool's request for an input.

        Raises:
            InvalidArgument: there is no text in it.
        """
        given = _as_mapping(given)
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
        """Interrupt the graph with the open questions; return the replies once it is resumed.

        A resume value that does not answer them all is refused and not kept, so that each round
        of questions is one interrupt.
        """
        questions = cast("NeedsAnswers", self._calls.read(self._line, outcome))
        opened = {each.id: each for each in outcome.round.questions} if outcome.round else {}

        def parse(resumed: Any) -> ReasoningAnswer:
            given = dict(resumed) if isinstance(resumed, Mapping) else {"answers": resumed}
            if given.setdefault("run_id", questions.run_id) != questions.run_id:
                raise ValueError(f"run_id: these questions are of run {questions.run_id}")
            try:
                replies = parse_request(ReasoningAnswer, given)
            except InvalidArgument as error:
                raise ValueError(f"{error}; {RESUME}") from None
            named = {each.id for each in replies.answers}
            if unknown := named - opened.keys():
                raise ValueError(f"{min(unknown)}: is no open question; {RESUME}")
            if left := opened.keys() - named:
                raise ValueError(f"{min(left)}: is not answered; {RESUME}")
            for each in replies.answers:
                if not each.declined:
                    try:
                        read_reply(each.reply, opened[each.id].schema)
                    except Misfit as misfit:
                        raise ValueError(f"{each.id}: {misfit}") from None
            return replies

        def check(resumed: Any) -> Any:
            parse(resumed)
            return resumed

        schema: Any = Annotated[Any, AfterValidator(check)]
        return parse(interrupt(questions.wire(), response_schema=schema))

    def _output(self, given: Any, answer: Answer) -> Any:
        given = _as_mapping(given)
        if not isinstance(given, Mapping) or isinstance(answer, NeedsAnswers):
            return answer
        if self._output_key:
            return {self._output_key: answer.wire()}
        if "messages" in given:
            return {"messages": [message_of(answer, self._line.name)]}
        return answer


RESUME = 'resume with a list for all questions, such as [{"id": "r1q1", "reply": ...}]'


def _replay_interrupts(outcome: Outcome, rounds: int) -> None:
    """Interrupt once for each answered round, since a graph matches resume values by position."""
    for _ in range(rounds):
        interrupt({"run_id": str(outcome.run_id), "answered": True})


def _as_mapping(given: Any) -> Any:
    """Return a state that is a pydantic model or a dataclass as a mapping of its fields."""
    if isinstance(given, BaseModel) and not isinstance(given, BaseMessage):
        return {name: getattr(given, name) for name in type(given).model_fields}
    if is_dataclass(given) and not isinstance(given, type):
        return {each.name: getattr(given, each.name) for each in fields(given)}
    return given


def message_of(answer: Answer, tool: str) -> AIMessage:
    """Return an answer as a message of the tool: its main text, or all of it without one."""
    text = main_text(shape_of(type(answer)), answer.wire()) or text_of(answer)
    return AIMessage(text, name=tool)


def text_of(answer: Answer) -> str:
    """Return an answer as text, as a client of the MCP server reads it."""
    return Prose(ANSWERS).write(shape_of(type(answer)), answer.wire())


def _text(given: Any) -> str:
    """Return the text of an input: itself, a message's, or the last human message's."""
    if isinstance(given, PromptValue):
        given = given.to_messages()
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


def _runtime() -> Runtime[Any] | None:
    """Return the runtime of the graph that executes this task, None outside of a graph."""
    try:
        return get_runtime()
    except (KeyError, RuntimeError):
        return None


def task_key(line: ToolLine, request: Request) -> tuple[str | None, bool]:
    """Return the idempotency key of the graph's current task, and whether there is a task."""
    runtime = _runtime()
    info = runtime.execution_info if runtime else None
    if info is None:
        return None, False
    if info.thread_id is None:  # without a checkpointer no task is executed again
        return None, True
    arguments = request.model_dump(mode="json", by_alias=True, exclude_unset=True)
    call = json.dumps((line.name, arguments), sort_keys=True)
    task = (info.thread_id, info.checkpoint_ns, info.task_id)
    execution = (*task, info.node_attempt, info.node_first_attempt_time, call)
    place = _calls_before(execution) if info.node_first_attempt_time else 0
    digest = hashlib.sha256(json.dumps((*task, call, place)).encode()).hexdigest()
    return f"langgraph-{digest}", True


_counts: OrderedDict[tuple[Any, ...], int] = OrderedDict()
_counting = Lock()
MOST_COUNTED = 10_000


def _calls_before(execution: tuple[Any, ...]) -> int:
    """Return how many equal calls this execution of a task has made, and count one more."""
    with _counting:
        place = _counts.pop(execution, 0)
        _counts[execution] = place + 1
        if len(_counts) > MOST_COUNTED:
            _counts.popitem(last=False)
    return place


def _event(step: Step) -> dict[str, Any]:
    return {"run_id": str(step.run_id), "step": step.name, "ended": step.ended}


def _reporter(on_step: OnStep | None) -> OnStep:
    """Return a report that sends steps to callbacks, and to the custom stream of a graph."""
    home, context = asyncio.get_running_loop(), copy_context()

    async def send(step: Step) -> None:
        await adispatch_custom_event(STEP_EVENT, _event(step))
        if runtime := _runtime():
            runtime.stream_writer({STEP_EVENT: _event(step)})
        if on_step is not None:
            await on_step(step)

    async def report(step: Step) -> None:
        if asyncio.get_running_loop() is home:
            await home.create_task(send(step), context=context)
        else:  # the engine has a thread of its own
            sent = context.run(asyncio.run_coroutine_threadsafe, send(step), home)
            await asyncio.wrap_future(sent)

    return report


def _blocking_reporter() -> OnStep:
    """Return a report for a caller that waits in another thread."""
    context = copy_context()

    def send(step: Step) -> None:
        dispatch_custom_event(STEP_EVENT, _event(step))
        if runtime := _runtime():
            runtime.stream_writer({STEP_EVENT: _event(step)})

    async def report(step: Step) -> None:
        context.run(send, step)

    return report
