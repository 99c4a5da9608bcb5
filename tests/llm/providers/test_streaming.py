"""Tokens as callbacks of LangChain's, from a server that speaks OpenAI's streaming protocol."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.config import var_child_runnable_config

from reasonloom.llm.interfaces import LanguageModel, Reply
from reasonloom.llm.providers.callbacks import call_config
from reasonloom.llm.providers.langbase import LangbaseModel
from reasonloom.llm.providers.litellm import LitellmModel
from reasonloom.llm.providers.replay import Recorder, ReplayModel
from tests.llm.conftest import KEY, SCHEMA, MakeSettings, ask
from tests.llm.loopback import Answer, Loopback
from tests.llm.providers.test_litellm import chat, fine

PARTS = ['{"thought": ', '"Postgres.", ', '"confidence": 0.85}']
WHOLE = ["on_chat_model_start", "on_chat_model_end"]
USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


def sse(*parts: str, finish: str = "stop", usage: bool = True) -> str:
    """A reply in OpenAI's streaming protocol: one event for each part, then its usage."""
    about = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4o-mini-1"}
    deltas: list[tuple[dict[str, str], str | None]] = [
        *(({"role": "assistant", "content": part}, None) for part in parts), ({}, finish),
    ]  # fmt: skip
    events: list[dict[str, Any]] = [
        {**about, "choices": [{"index": 0, "delta": delta, "finish_reason": end}]}
        for delta, end in deltas
    ]
    events += [{**about, "choices": [], "usage": USAGE}] if usage else []
    return "".join(f"data: {json.dumps(each)}\n\n" for each in events) + "data: [DONE]\n\n"


def streamed(*parts: str, **more: Any) -> Answer:
    return Answer(sse(*parts, **more))


@pytest_asyncio.fixture
async def model(
    server: Loopback, make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[LitellmModel]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    made = LitellmModel("openai/gpt-4o-mini", make_settings(llm_base_url=f"{server.url}/v1"))
    yield made
    await made.close()


async def events_of(model: LanguageModel, **more: Any) -> tuple[list[Any], Reply]:
    """Return the events of one answer that a listener to tokens gets, and the reply."""
    replies = []

    async def answered(_: Any) -> None:
        token = call_config.set(var_child_runnable_config.get())
        try:
            replies.append(await model.answer(ask(schema=SCHEMA, pipe="linear", **more)))
        finally:
            call_config.reset(token)

    events = RunnableLambda(answered).astream_events("x", version="v2")
    heard = [each async for each in events if each["event"].startswith("on_chat_model")]
    return heard, replies[0]


def tokens(events: list[Any]) -> list[str]:
    streams = [each for each in events if each["event"] == "on_chat_model_stream"]
    return [each["data"]["chunk"].text for each in streams]


async def test_tokens_arrive_as_they_are_sent(server: Loopback, model: LitellmModel) -> None:
    server.script(streamed(*PARTS), fine())
    events, reply = await events_of(model)
    assert tokens(events) == PARTS
    assert len({each["run_id"] for each in events}) == 1
    assert events[0]["metadata"]["reasonloom_mode"] == "linear"
    assert events[-1]["data"]["output"].usage_metadata["total_tokens"] == 110
    assert server.heard[0].body["stream"] is True
    without = await model.answer(ask(schema=SCHEMA))
    assert "stream" not in server.heard[1].body, "nobody listens"
    assert reply.parsed == without.parsed
    assert reply.usage == without.usage
    assert reply.model == "gpt-4o-mini-1"


async def test_a_callback_that_does_not_stream_gets_the_whole_reply(
    server: Loopback, model: LitellmModel
) -> None:
    class Tracer(AsyncCallbackHandler):
        heard: list[str] = []  # noqa: RUF012

        async def on_llm_end(self, response: Any, **_: Any) -> None:
            self.heard.append(response.generations[0][0].text)

    server.script(fine())
    token = call_config.set({"callbacks": [Tracer()]})
    reply = await model.answer(ask())
    call_config.reset(token)
    assert Tracer.heard == [reply.text]
    assert "stream" not in server.heard[0].body


async def test_a_stream_without_usage_is_estimated(server: Loopback, model: LitellmModel) -> None:
    server.script(streamed(*PARTS, usage=False))
    _, reply = await events_of(model)
    assert reply.usage.estimated
    assert reply.usage.tokens_in > 0


async def test_a_stream_cut_at_the_length_limit_is_marked(
    server: Loopback, model: LitellmModel
) -> None:
    server.script(streamed(PARTS[0], finish="length"))
    _, reply = await events_of(model)
    assert reply.truncated


async def test_a_broken_stream_is_asked_for_again_as_another_message(
    server: Loopback, model: LitellmModel
) -> None:
    server.script(Answer(sse(*PARTS), cut=250), streamed(*PARTS))
    events, reply = await events_of(model)
    runs = [each["run_id"] for each in events if each["event"] == "on_chat_model_start"]
    assert len(runs) == 2
    assert tokens([each for each in events if each["run_id"] == runs[1]]) == PARTS
    assert reply.usage.attempts == 2


@pytest.mark.parametrize(
    "refusal",
    [
        Answer({"error": {"message": "Verify your organization to stream this model."}}, 400),
        Answer(chat("ignored that a stream was requested")),
    ],
)
async def test_a_server_that_does_not_stream_is_asked_for_whole_replies(
    server: Loopback, model: LitellmModel, refusal: Answer
) -> None:
    server.script(refusal, fine())
    for _ in range(2):
        events, reply = await events_of(model)
        assert [each["event"] for each in events] == WHOLE
        assert events[-1]["data"]["output"].text == reply.text
        assert reply.usage.attempts == 1
    assert ["stream" in each.body for each in server.heard] == [True, False, False]


async def test_cancellation_closes_the_stream(server: Loopback, model: LitellmModel) -> None:
    server.script(Answer(sse(*PARTS), delay=5))
    task = asyncio.create_task(events_of(model))
    while not server.heard:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(server.left_early.wait(), 1)


async def test_providers_without_streams_report_whole_replies(
    server: Loopback, model: LitellmModel, make_settings: MakeSettings, tmp_path: Path
) -> None:
    server.script(fine(), Answer({"completion": "".join(PARTS), "raw": {}}))
    file = tmp_path / "replies.jsonl"
    await Recorder(model, file).answer(ask(schema=SCHEMA, pipe="linear"))
    langbase = LangbaseModel(make_settings(langbase_api_key=KEY, langbase_base_url=server.url))
    for other in (ReplayModel(file), langbase):
        events, reply = await events_of(other)
        assert [each["event"] for each in events] == WHOLE
        assert events[-1]["data"]["output"].text == reply.text
    await langbase.close()
