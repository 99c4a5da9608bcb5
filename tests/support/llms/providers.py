"""A local server that speaks a provider's protocol, and answers as a function says."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.clients.http_server import Handler, serving

MODEL = "gpt-4o-mini"
ReplyText = Callable[[str, str], str]
"""Makes the system's and the user's message the answer."""


def settings_of(url: str) -> dict[str, str]:
    """Return the environment of a process that asks a provider at a URL."""
    return {
        "REASONLOOM_LLM": f"litellm:openai/{MODEL}",
        "REASONLOOM_LLM_BASE_URL": url,
        "OPENAI_API_KEY": "sk-test-0123456789abcdefghij",
    }


@dataclass
class Chatting:
    """The server: where it is, and what it was asked."""

    url: str = ""
    asked: list[tuple[str, str]] = field(default_factory=list)

    @property
    def settings(self) -> dict[str, str]:
        """The environment of a process that asks it."""
        return settings_of(f"{self.url}/v1")


@contextmanager
def chatting(say: ReplyText) -> Iterator[Chatting]:
    """Serve on a free port of 127.0.0.1 until the end."""
    asked: list[tuple[str, str]] = []

    def answer(body: Mapping[str, Any]) -> str:
        told = {each["role"]: str(each["content"]) for each in body["messages"]}
        pair = told.get("system", ""), told["user"]
        asked.append(pair)
        return say(*pair)

    with answering(answer) as found:
        found.asked = asked
        yield found


@contextmanager
def answering(answer: Callable[[Mapping[str, Any]], str]) -> Iterator[Chatting]:
    """Serve on a free port of 127.0.0.1; `answer` makes a whole request the reply's text."""

    class Completions(Handler):
        def reply(self) -> None:
            text = answer(json.loads(self.body()))
            self.answer(json.dumps(_chat(text, 100, 10)).encode())

    with serving(Completions) as url:
        yield Chatting(url)


def _chat(text: str, tokens_in: int, tokens_out: int) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    tokens = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out}
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {**tokens, "total_tokens": tokens_in + tokens_out},
    }


TOKENS_IN, TOKENS_OUT = 120, 30


class Provider:
    """Answers every question alike; where `refusal` is set, that is what it says, with 401.

    `delays` are seconds before the answer to a question in which a word stands.
    """

    def __init__(self, said: dict[str, Any]) -> None:
        self.said = said
        self.refusal: str | None = None
        self.url = ""
        self.asked: list[bytes] = []
        self.delays: dict[bytes, float] = {}

    @property
    def settings(self) -> dict[str, str]:
        """The environment of a process that asks it."""
        return settings_of(self.url)

    def reply(self) -> tuple[int, dict[str, Any]]:
        """Return the status and the body of an answer."""
        if self.refusal is not None:
            return 401, {"error": {"message": self.refusal, "type": "invalid_request_error"}}
        return 200, _chat(json.dumps(self.said), TOKENS_IN, TOKENS_OUT)


@contextmanager
def providing(said: dict[str, Any]) -> Iterator[Provider]:
    """Yield a provider that listens while the block runs."""
    provider = Provider(said)

    class Replies(Handler):
        def reply(self) -> None:
            asked = self.body()
            provider.asked.append(asked)
            time.sleep(sum(each for word, each in provider.delays.items() if word in asked))
            status, said = provider.reply()
            self.answer(json.dumps(said).encode(), status)

    with serving(Replies) as url:
        provider.url = f"{url}/v1"
        yield provider
