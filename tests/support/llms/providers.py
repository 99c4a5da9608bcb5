"""A local server that speaks a provider's protocol, and answers as a function says."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CHAT_MODEL = "gpt-4o-mini"
ReplyText = Callable[[str, str], str]
"""Makes the system's and the user's message the answer."""


@dataclass
class Chatting:
    """The server: where it is, and what it was asked."""

    url: str = ""
    asked: list[tuple[str, str]] = field(default_factory=list)

    @property
    def settings(self) -> dict[str, str]:
        """The environment of a process that asks it."""
        return {
            "REASONLOOM_LLM": f"litellm:openai/{CHAT_MODEL}",
            "REASONLOOM_LLM_BASE_URL": f"{self.url}/v1",
            "OPENAI_API_KEY": "sk-test-0123456789abcdefghij",
        }


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

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            reply = json.dumps(_chat(answer(body))).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield Chatting(f"http://127.0.0.1:{server.server_address[1]}")
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _chat(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": CHAT_MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }


MODEL = "gpt-4o-mini"
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

    def reply(self) -> tuple[int, dict[str, Any]]:
        """Return the status and the body of an answer."""
        if self.refusal is not None:
            return 401, {"error": {"message": self.refusal, "type": "invalid_request_error"}}
        message = {"role": "assistant", "content": json.dumps(self.said)}
        usage = {"prompt_tokens": TOKENS_IN, "completion_tokens": TOKENS_OUT}
        return 200, {
            "id": "c1",
            "object": "chat.completion",
            "created": 1,
            "model": MODEL,
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {**usage, "total_tokens": TOKENS_IN + TOKENS_OUT},
        }


@contextmanager
def providing(said: dict[str, Any]) -> Iterator[Provider]:
    """Yield a provider that listens while the block runs."""
    provider = Provider(said)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = self.rfile.read(int(self.headers["content-length"]))
            provider.asked.append(asked)
            time.sleep(sum(each for word, each in provider.delays.items() if word in asked))
            status, said = provider.reply()
            body = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            with suppress(OSError):  # who asked may be gone
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
