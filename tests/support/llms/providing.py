"""A provider of language models on loopback, which speaks OpenAI's form, or refuses."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

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
