"""Tokens of our own providers, as users of LangGraph listen to them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest
import pytest_asyncio
from langchain_core.messages import AIMessageChunk
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

import reasonloom
from tests.llm.conftest import KEY
from tests.llm.loopback import Loopback, loopback
from tests.llm.providers.test_litellm import fine
from tests.llm.providers.test_streaming import streamed

PARTS = ['{"thought": "Eat ', 'at the mill.", ', '"confidence": 0.8}']
THREAD: Any = {"configurable": {"thread_id": "dinner"}}
QUESTION: Any = {"messages": [("user", "Where?")]}


@pytest_asyncio.fixture
async def server() -> AsyncIterator[Loopback]:
    async with loopback() as box:
        box.script(streamed(*PARTS))
        yield box


@pytest.fixture
def of_server(
    server: Loopback, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> dict[str, Any]:
    """The arguments of `open` whose language model is that server."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return {**options, "llm": "litellm:openai/gpt-4o-mini", "llm_base_url": f"{server.url}/v1"}


def graph_of(mode: Any) -> Any:
    graph = StateGraph(MessagesState)
    graph.add_node("think", mode)
    graph.add_edge(START, "think")
    return graph.compile(checkpointer=InMemorySaver())


async def test_a_graph_streams_the_tokens_of_a_mode_and_its_message(
    of_server: dict[str, Any], server: Loopback
) -> None:
    server.script(streamed(*PARTS), fine("".join(PARTS)))
    async with reasonloom.open(**of_server) as loom:
        app = graph_of(loom.mode("linear"))
        events = [each async for each in app.astream(QUESTION, THREAD, stream_mode="messages")]
        chunks = [(part, about) for part, about in events if isinstance(part, AIMessageChunk)]
        assert [part.text for part, _ in chunks] == PARTS
        assert {about["langgraph_node"] for _, about in chunks} == {"think"}
        assert {about["reasonloom_mode"] for _, about in chunks} == {"linear"}
        assert events[-1][0].text.startswith("Eat at the mill.")
        state = await app.aget_state(THREAD)
        assert [each.type for each in state.values["messages"]] == ["human", "ai"]
        await loom.mode("linear").ainvoke("Where?")
        assert ["stream" in each.body for each in server.heard] == [True, False]


async def test_a_streamed_reply_is_recorded_like_any_other(of_server: dict[str, Any]) -> None:
    async with reasonloom.open(**of_server) as loom:
        events = [each async for each in loom.mode("linear").astream_events("Where?", version="v2")]
        tokens = [each for each in events if each["event"] == "on_chat_model_stream"]
        assert [each["data"]["chunk"].text for each in tokens] == PARTS
        answer = [each for each in events if each["event"] == "on_chain_stream"][-1]["data"][
            "chunk"
        ]
    async with await psycopg.AsyncConnection.connect(of_server["database_url"]) as connection:
        found = await connection.execute(
            "SELECT reply->>'text', tokens_in, tokens_out FROM reasonloom.llm_calls"
            " WHERE run_id = %s",
            (answer.run_id,),
        )
        assert await found.fetchall() == [("".join(PARTS), 100, 10)]


async def test_a_blocking_graph_streams_them_too(of_server: dict[str, Any]) -> None:
    def tokens() -> list[str]:
        with reasonloom.open_sync(**of_server) as loom:
            app = graph_of(loom.mode("linear"))
            return [part.text for part, _ in app.stream(QUESTION, THREAD, stream_mode="messages")]

    assert (await asyncio.to_thread(tokens))[: len(PARTS)] == PARTS


async def test_tokens_cross_from_the_thread_of_a_blocking_loom(of_server: dict[str, Any]) -> None:
    """As under LangGraph's servers, whose graphs are awaited in a loop of their own."""
    with reasonloom.open_sync(**of_server) as loom:
        app = graph_of(loom.mode("linear"))
        parts = [
            part.text async for part, _ in app.astream(QUESTION, THREAD, stream_mode="messages")
        ]
        assert parts[: len(PARTS)] == PARTS
