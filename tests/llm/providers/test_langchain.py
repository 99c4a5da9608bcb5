"""A chat model of LangChain's as the language model of runs."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.config import var_child_runnable_config

from reasonloom.errors import LlmRefused, LlmUnavailable
from reasonloom.llm.interfaces import Ask
from reasonloom.llm.providers.callbacks import call_config
from reasonloom.llm.providers.langchain import LangchainModel
from reasonloom.settings import Settings

SCHEMA = {
    "type": "object",
    "properties": {"thought": {"type": "string"}},
    "required": ["thought"],
    "additionalProperties": False,
}
ASK = Ask([HumanMessage("Where?")], SCHEMA)
REPLY = AIMessage(
    'Sure: {"thought": "At the mill."}',
    usage_metadata={"input_tokens": 7, "output_tokens": 5, "total_tokens": 12},
    response_metadata={"model_name": "chat-1", "finish_reason": "stop"},
)


class Chat(GenericFakeChatModel):
    """Answers in turn; a fault is raised."""

    received: list[Any] = []  # noqa: RUF012 - pydantic copies it

    def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        self.received.append(messages)
        if isinstance(fault := self.received[0][0].additional_kwargs.get("fault"), Exception):
            raise fault
        return super()._generate(messages, *args, **kwargs)


class EnforcingChat(Chat):
    """Follows a schema, as a provider with structured output does."""

    def with_structured_output(self, schema: Any, **kwargs: Any) -> Any:
        assert schema["title"] == "answer"
        return RunnableLambda(
            lambda _: {"raw": REPLY, "parsed": {"thought": "Enforced."}, "parsing_error": None}
        )


def model_of(chat: Any) -> LangchainModel:
    return LangchainModel(chat, Settings(max_retries=1, retry_delay_ms=1))


async def test_a_schema_is_written_into_the_prompt_of_a_plain_model() -> None:
    chat = Chat(messages=iter([REPLY]))
    reply = await model_of(chat).answer(ASK)
    assert reply.parsed == {"thought": "At the mill."}
    assert (reply.model, reply.usage.tokens_in, reply.usage.tokens_out) == ("chat-1", 7, 5)
    assert "JSON Schema" in chat.received[0][0].text


async def test_a_schema_is_enforced_where_the_model_can() -> None:
    reply = await model_of(EnforcingChat(messages=iter([]))).answer(ASK)
    assert reply.parsed == {"thought": "Enforced."}
    assert reply.usage.tokens_in == 7


class RateLimited(Exception):
    """As a provider's package raises it."""

    status_code = 429


class Unauthorized(Exception):
    """As a provider's package raises it."""

    status_code = 401


@pytest.mark.parametrize(
    ("fault", "kind", "text"),
    [
        (RateLimited("slow down"), LlmUnavailable, "HTTP 429"),
        (ConnectionError("gone"), LlmUnavailable, "ConnectionError"),
        (Unauthorized("bad key sk-12345678901234567890"), LlmRefused, r"HTTP 401: bad key \[...\]"),
        (KeyError("inner"), LlmRefused, "refused \\(KeyError: 'inner'\\)"),
    ],
)
async def test_faults_are_ours_and_leak_nothing(
    fault: Exception, kind: type[Exception], text: str
) -> None:
    message = HumanMessage("Where?", additional_kwargs={"fault": fault})
    with pytest.raises(kind, match=text):
        await model_of(Chat(messages=iter([]))).answer(Ask([message]))


async def test_an_empty_reply_is_asked_for_again() -> None:
    reply = await model_of(Chat(messages=iter([AIMessage(" "), REPLY]))).answer(ASK)
    assert reply.usage.attempts == 2


async def test_the_callbacks_of_a_run_get_the_tokens_of_its_model() -> None:
    async def answered(_: Any) -> str:
        config = var_child_runnable_config.get()
        token = call_config.set(config)
        try:
            return (await model_of(chat).answer(Ask([HumanMessage("Where?")]))).text
        finally:
            call_config.reset(token)

    chat = Chat(messages=iter([AIMessage("At the mill.")]))
    events = [each async for each in RunnableLambda(answered).astream_events("x", version="v2")]
    streamed = [each for each in events if each["event"] == "on_chat_model_stream"]
    assert "".join(each["data"]["chunk"].text for each in streamed) == "At the mill."
