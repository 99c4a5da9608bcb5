"""Any chat model of LangChain's, given as an object instead of by a setting."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import httpx
from langchain_core.messages import AIMessage

from reasonloom.llm.interfaces import Ask, Reply
from reasonloom.llm.messages import text_of, to_dicts, with_schema
from reasonloom.llm.providers.callbacks import config_for
from reasonloom.llm.providers.faults import AttemptFailed, NoAnswer, excerpt, failure_of_status
from reasonloom.llm.providers.reply import RawReply, parse_reply, with_attempts
from reasonloom.llm.providers.response_format import enforceable
from reasonloom.llm.providers.retry import RetryPolicy, call_with_retries
from reasonloom.settings import Settings

if TYPE_CHECKING:
    from langchain_core.runnables import Runnable


class LangchainModel:
    """Answers through a chat model, or a runnable around one; its own retries come before ours."""

    offline = False

    def __init__(self, chat: Runnable[Any, Any], settings: Settings) -> None:
        self._chat = chat
        self._model = str(
            getattr(chat, "model_name", None) or getattr(chat, "model", None) or type(chat).__name__
        )
        self.name = f"langchain:{self._model}"
        self._policy = RetryPolicy.of(settings)
        self._enforces_schemas = True

    async def answer(self, ask: Ask) -> Reply:
        """Answer one question (see `LanguageModel`)."""

        async def attempt() -> Reply:
            question = text_of(to_dicts(ask.messages))
            return parse_reply(await self._send(ask), ask, question, self._model)

        reply, attempts = await call_with_retries(self.name, attempt, self._policy, ask.deadline)
        return with_attempts(reply, attempts)

    async def _send(self, ask: Ask) -> RawReply:
        try:
            return await self._structured(ask) or await self._plain(ask)
        except TimeoutError:
            raise
        except Exception as error:  # noqa: BLE001  # each provider's package has its own
            raise _fault(error) from None

    async def _structured(self, ask: Ask) -> RawReply | None:
        """Return the reply to a question with an enforced schema, None if it cannot be enforced."""
        if ask.schema is None or not self._enforces_schemas:
            return None
        schema = {"title": "answer", "description": "The answer.", **enforceable(ask.schema)}
        try:
            chat: Any = self._chat
            model = chat.with_structured_output(schema, include_raw=True)
        except (AttributeError, NotImplementedError, ValueError):
            self._enforces_schemas = False
            return None
        found: Any = await model.ainvoke(list(ask.messages), config_for(ask))
        parsed = found.get("parsed")
        text = json.dumps(parsed, ensure_ascii=False) if isinstance(parsed, dict) else None
        return _received(found["raw"], text)

    async def _plain(self, ask: Ask) -> RawReply:
        messages: Any = list(ask.messages)
        if ask.schema is not None:
            messages = with_schema(to_dicts(messages), ask.schema)
        return _received(await self._chat.ainvoke(messages, config_for(ask)))

    async def close(self) -> None:
        """Do nothing: the chat model belongs to whoever made it."""


def _received(message: object, text: str | None = None) -> RawReply:
    if not isinstance(message, AIMessage):
        raise NoAnswer("reply that is no message")
    usage = message.usage_metadata
    about = message.response_metadata
    return RawReply(
        str(message.text) if text is None else text,
        about.get("model_name") or about.get("model"),
        about.get("finish_reason"),
        (usage["input_tokens"], usage["output_tokens"]) if usage else (None, None),
    )


def _fault(error: Exception) -> AttemptFailed:
    if isinstance(error, AttemptFailed):
        return error
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return failure_of_status(status, {}, str(error))
    unreached = isinstance(error, OSError | httpx.TransportError)
    words = "" if unreached else excerpt(str(error))
    reason = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return AttemptFailed(reason, retryable=unreached)
