"""Modes as runnables and as nodes of other graphs: runs are not made twice, questions interrupt."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any, TypedDict

import pytest
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, Interrupt, interrupt
from pydantic import BaseModel

import reasonloom
from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.call import Step
from tests.library.conftest import THOUGHT
from tests.support.llms.answering import AnsweringLlm
from tests.support.llms.drawn_replies import drawn_reply

THREAD: Any = {"configurable": {"thread_id": "one"}}
ANSWER = "Eat at the mill."


class State(TypedDict, total=False):
    """A graph's state with a question and what came of it."""

    question: str
    thought: dict[str, Any]
    done: bool


def graph_of(*nodes: tuple[str, Any], state: type = State) -> Any:
    graph: Any = StateGraph(state)
    names = [name for name, _ in nodes]
    for name, node in nodes:
        graph.add_node(name, node)
    for one, other in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(one, other)
    return graph.compile(checkpointer=InMemorySaver())


@pytest.mark.parametrize(
    "given",
    ["Where?", HumanMessage("Where?"), {"content": "Where?"}, [("x"), HumanMessage("Where?")]],
)
async def test_inputs_of_every_kind(options: dict[str, Any], llm: AnsweringLlm, given: Any) -> None:
    async with reasonloom.open(**options) as loom:
        answer = await loom.mode("linear").ainvoke(given)
        assert (answer.content, answer.confidence) == (ANSWER, 0.8)
        assert "Where?" in str(llm.asked["thought"][0].messages)


async def test_wrong_inputs_name_the_valid_form(options: dict[str, Any]) -> None:
    async with reasonloom.open(**options) as loom:
        linear = loom.mode("linear")
        wrong: Any
        for wrong in (3, None, [], {"messages": []}):
            with pytest.raises(InvalidArgument, match=r"input: must be a text.*such as"):
                await linear.ainvoke(wrong)
        with pytest.raises(InvalidArgument, match="contents: unknown field"):
            await linear.ainvoke({"contents": "Where?"})
        keyed = loom.mode("linear", input_key="question", output_key="thought")
        with pytest.raises(InvalidArgument, match="question: is not in the state; its keys are q"):
            await keyed.ainvoke({"q": "Where?"})


async def test_a_mode_has_one_text_and_the_usual_arguments(options: dict[str, Any]) -> None:
    async with reasonloom.open(**options | {"llm": "offline"}) as loom:
        with pytest.raises(InvalidArgument, match="content: is the mode's input"):
            loom.mode("linear", content="Where?")
        thinking = await loom.mode("think").ainvoke("Where?")
        assert len(thinking.streams) == 4, "all streams at once"


async def test_batches_streams_and_sequences(options: dict[str, Any]) -> None:
    async with reasonloom.open(**options) as loom:
        linear = loom.mode("linear")
        assert [each.content for each in await linear.abatch(["Where?", "When?"])] == [ANSWER] * 2
        *steps, answer = [each async for each in linear.astream("Where?")]
        assert all(isinstance(each, Step) for each in steps)
        assert [each.name for each in steps][:2] == ["recall context", "continue thought"]
        assert answer.content == ANSWER
        chain = RunnableLambda(str.upper) | linear | RunnableLambda(lambda each: each.content)
        assert [each async for each in chain.astream("where?")] == [ANSWER]


async def test_callbacks_hear_of_the_run_and_its_steps(options: dict[str, Any]) -> None:
    heard: list[tuple[Any, ...]] = []

    class Handler(AsyncCallbackHandler):
        async def on_chain_start(self, *args: Any, **named: Any) -> None:
            heard.append(("start", named["name"], named["tags"], named["metadata"]))

        async def on_custom_event(self, name: str, data: Any, **named: Any) -> None:
            heard.append((name, data["step"]))

    async with reasonloom.open(**options) as loom:
        config: Any = {"callbacks": [Handler()], "tags": ["trip"], "metadata": {"day": 1}}
        await loom.mode("linear").ainvoke("Where?", config)
    assert heard[0] == ("start", "reasoning_linear", ["trip"], {"day": 1})
    assert ("reasonloom_step", "continue thought") in heard


async def test_a_mode_is_a_node_of_a_graph(options: dict[str, Any]) -> None:
    async with reasonloom.open(**options) as loom:
        app = graph_of(("think", loom.mode("linear")), state=MessagesState)
        state = await app.ainvoke({"messages": [("user", "Where?")]}, THREAD)
        assert isinstance(state["messages"][-1], AIMessage)
        assert state["messages"][-1].text == ANSWER
        keyed = loom.mode("linear", input_key="question", output_key="thought")
        state = await graph_of(("think", keyed)).ainvoke({"question": "Where?"}, THREAD)
        assert state["thought"]["content"] == ANSWER
        parts = [
            part["reasonloom_step"]["step"]
            async for part in app.astream(
                {"messages": [("user", "When?")]}, THREAD, stream_mode="custom"
            )
        ]
        assert parts[:2] == ["recall context", "continue thought"]


async def test_a_graph_that_fails_later_does_not_think_again(
    options: dict[str, Any], llm: AnsweringLlm
) -> None:
    failures = [RuntimeError("the power went")]

    def after(state: State) -> State:
        if failures:
            raise failures.pop()
        return {"done": True}

    def both(loom: reasonloom.Loom) -> Any:
        mode = loom.mode("linear")

        async def think(state: State) -> State:
            thought = (await mode.ainvoke(state["question"])).wire()
            after(state)
            return {"thought": thought}

        return think

    async with reasonloom.open(**options) as loom:
        app = graph_of(("think", both(loom)))
        with pytest.raises(RuntimeError):
            await app.ainvoke({"question": "Where?"}, THREAD)
        state = await app.ainvoke(None, THREAD)
        assert state["thought"]["content"] == ANSWER
        assert llm.counts["thought"] == 1
        await app.ainvoke({"question": "Where?"}, THREAD)
        assert llm.counts["thought"] == 2, "a second turn is a new run"


async def test_a_past_checkpoint_executed_again_is_a_new_run(
    options: dict[str, Any], llm: AnsweringLlm
) -> None:
    """As LangGraph documents of every node after the checkpoint."""
    async with reasonloom.open(**options) as loom:
        keyed = loom.mode("linear", input_key="question", output_key="thought")
        app = graph_of(("think", keyed))
        first = await app.ainvoke({"question": "Where?"}, THREAD)
        past = [each async for each in app.aget_state_history(THREAD) if each.next == ("think",)]
        again = await app.ainvoke(None, past[0].config)
        assert first["thought"]["run_id"] != again["thought"]["run_id"]
        assert llm.counts["thought"] == 2


async def test_questions_to_the_caller_are_an_interrupt(options: dict[str, Any]) -> None:
    async with reasonloom.open(**options | {"llm": "caller"}) as loom:
        keyed = loom.mode("tree", max_branches=2, input_key="question", output_key="thought")
        app = graph_of(("think", keyed))
        state = await app.ainvoke({"question": "Where?"}, THREAD)
        rounds = 0
        while "__interrupt__" in state and rounds < 9:
            rounds += 1
            state = await app.ainvoke(Command(resume=replies_to(state["__interrupt__"][0])), THREAD)
        assert rounds > 1
        assert state["thought"]["branches_explored"] == 2


def replies_to(asked: Interrupt) -> list[dict[str, Any]]:
    shared = asked.value["shared"]
    return [
        {"id": each["id"], "reply": drawn_reply(each["prompt"], schema_of(each, shared))}
        for each in asked.value["questions"]
    ]


def schema_of(question: dict[str, Any], shared: dict[str, Any]) -> dict[str, Any]:
    schema = question["reply_schema"]
    if isinstance(schema, str):
        schema = shared[schema.removeprefix("[shared ").removesuffix("]")]
    assert isinstance(schema, dict)
    return schema


def test_a_blocking_graph_runs_a_mode(options: dict[str, Any]) -> None:
    with reasonloom.open_sync(**options) as loom:
        app = graph_of(("think", loom.mode("linear")), state=MessagesState)
        state = app.invoke({"messages": [("user", "Where?")]}, THREAD)
        assert state["messages"][-1].text == ANSWER


async def test_a_mode_within_a_mode_keeps_to_itself(
    options: dict[str, Any], llm: AnsweringLlm
) -> None:
    """Two modes at once in one graph, as branches that run in parallel."""
    async with reasonloom.open(**options) as loom:
        one, other = loom.mode("linear"), loom.mode("linear")
        found = await asyncio.gather(one.ainvoke("Where?"), other.ainvoke("When?"))
        assert {each.run_id for each in found} == {each.call.run_id for each in found}
        assert len({each.run_id for each in found}) == 2
        assert llm.counts["thought"] == 2


async def test_a_chat_model_can_be_handed_in_and_streams_its_tokens(
    options: dict[str, Any],
) -> None:
    chat = GenericFakeChatModel(messages=iter([AIMessage(json.dumps(THOUGHT))]))
    async with reasonloom.open(**options | {"llm": chat}) as loom:
        events = [each async for each in loom.mode("linear").astream_events("Where?", version="v2")]
        streamed = [each for each in events if each["event"] == "on_chat_model_stream"]
        assert json.loads("".join(each["data"]["chunk"].text for each in streamed)) == THOUGHT
        chunks = [each for each in events if each["event"] == "on_chain_stream"]
        assert chunks[-1]["data"]["chunk"].content == ANSWER


async def test_a_mode_of_a_blocking_loom_can_be_awaited(options: dict[str, Any]) -> None:
    with reasonloom.open_sync(**options) as loom:
        app = graph_of(("think", loom.mode("linear")), state=MessagesState)
        heard = [
            part
            async for kind, part in app.astream(
                {"messages": [("user", "Where?")]}, THREAD, stream_mode=["custom", "values"]
            )
        ]
        assert heard[1]["reasonloom_step"]["step"] == "recall context"
        assert heard[-1]["messages"][-1].text.startswith(ANSWER)


async def test_tools_in_a_node_are_no_part_of_the_surrounding_graph(
    options: dict[str, Any],
) -> None:
    facts = ["Lions sleep all day.", "The invoice of Mr Smith is overdue."]
    async with reasonloom.open(**options) as loom:

        async def note(state: State) -> State:
            fact = facts.pop(0)
            stored = await loom.remember(fact)
            if facts:
                raise RuntimeError("the power went")
            return {"thought": {"id": stored.memory_id}}

        app = graph_of(("note", note))
        with pytest.raises(RuntimeError):
            await app.ainvoke({"question": "?"}, THREAD)
        state = await app.ainvoke(None, THREAD)
        assert state["thought"]["id"] == "mem-2"
        found = await loom.recall("Whose invoice is overdue?", limit=1)
        assert found.memories[0].content.startswith("The invoice")
        spaces = {
            each.config["configurable"]["checkpoint_ns"] for each in app.checkpointer.list(None)
        }
        assert spaces == {""}


async def test_samples_in_one_node_are_separate_runs(
    options: dict[str, Any], llm: AnsweringLlm
) -> None:
    failures = [RuntimeError("the power went")]
    async with reasonloom.open(**options) as loom:
        linear = loom.mode("linear")

        async def sample(state: State) -> State:
            found = await asyncio.gather(*(linear.ainvoke("Where?") for _ in range(3)))
            if failures:
                raise failures.pop()
            return {"thought": {"runs": sorted({each.run_id for each in found})}}

        app = graph_of(("sample", sample))
        with pytest.raises(RuntimeError):
            await app.ainvoke({"question": "?"}, THREAD)
        state = await app.ainvoke(None, THREAD)
        assert len(state["thought"]["runs"]) == 3
        assert llm.counts["thought"] == 3, "none is paid for again"


async def test_interrupts_of_a_mode_and_of_its_node_are_kept_apart(options: dict[str, Any]) -> None:
    async with reasonloom.open(**options | {"llm": "caller"}) as loom:
        linear = loom.mode("linear")

        async def think(state: State) -> State:
            one = await linear.ainvoke("Where?")
            other = await linear.ainvoke("When?")
            approved = interrupt("approve?")
            return {"thought": {"texts": [one.content, other.content], "approved": approved}}

        app = graph_of(("think", think))
        await app.ainvoke({"question": "?"}, THREAD)
        for text in ("At the mill.", "At noon."):
            reply = {"thought": text, "confidence": 0.5}
            state = await app.ainvoke(Command(resume=[{"id": "r1q1", "reply": reply}]), THREAD)
        assert state["__interrupt__"][0].value == "approve?"
        state = await app.ainvoke(Command(resume="yes"), THREAD)
        assert state["thought"] == {"texts": ["At the mill.", "At noon."], "approved": "yes"}


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ("yes", "answers"),
        ([], "r1q1: is not answered"),
        ([{"id": "zz", "reply": "x"}], "zz"),
        ([{"id": "r1q1", "reply": {"thought": "x"}}], "confidence"),
        ({"run_id": "other", "answers": []}, "run_id"),
    ],
)
async def test_a_wrong_resume_is_refused_and_a_right_one_still_works(
    options: dict[str, Any], wrong: Any, text: str
) -> None:
    async with reasonloom.open(**options | {"llm": "caller"}) as loom:
        keyed = loom.mode("linear", input_key="question", output_key="thought")
        app = graph_of(("think", keyed))
        await app.ainvoke({"question": "Where?"}, THREAD)
        with pytest.raises(Exception, match=text):
            await app.ainvoke(Command(resume=wrong), THREAD)
        right = [{"id": "r1q1", "reply": THOUGHT}]
        state = await app.ainvoke(Command(resume=right), THREAD)
        assert state["thought"]["content"] == ANSWER


class ModelState(BaseModel):
    """A graph's state as a pydantic model."""

    question: str = ""
    thought: Any = None


@dataclass
class DataState:
    """A graph's state as a dataclass."""

    question: str = ""
    thought: Any = None


@pytest.mark.parametrize("kind", [ModelState, DataState])
async def test_states_of_every_kind(options: dict[str, Any], kind: type) -> None:
    async with reasonloom.open(**options) as loom:
        keyed = loom.mode("linear", input_key="question", output_key="thought")
        state = await graph_of(("think", keyed), state=kind).ainvoke({"question": "Where?"}, THREAD)
        assert state["thought"]["content"] == ANSWER
        with pytest.raises(InvalidArgument, match="output_key: is needed"):
            loom.mode("linear", input_key="question")


def test_a_blocking_graph_has_the_steps(options: dict[str, Any]) -> None:
    with reasonloom.open_sync(**options) as loom:
        app = graph_of(("think", loom.mode("linear")), state=MessagesState)
        given = {"messages": [("user", "Where?")]}
        heard = [
            part["reasonloom_step"]["step"]
            for part in app.stream(given, THREAD, stream_mode="custom")
        ]
        assert heard[:2] == ["recall context", "continue thought"]
