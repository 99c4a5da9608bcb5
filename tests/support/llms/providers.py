"""A local server that speaks a provider's protocol, and answers as a function says."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "gpt-4o-mini"
Said = Callable[[str, str], str]
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
            "REASONLOOM_LLM": f"litellm:openai/{MODEL}",
            "REASONLOOM_LLM_BASE_URL": f"{self.url}/v1",
            "OPENAI_API_KEY": "sk-test-0123456789abcdefghij",
        }


@contextmanager
def chatting(say: Said) -> Iterator[Chatting]:
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
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }
