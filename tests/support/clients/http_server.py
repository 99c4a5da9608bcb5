"""HTTP servers on loopback, whose requests a handler answers."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

JSON = {"content-type": "application/json"}


class Handler(BaseHTTPRequestHandler):
    """Reads and answers a request; prints nothing."""

    def reply(self) -> None:
        """Answer the request."""
        raise NotImplementedError

    def do_GET(self) -> None:
        self.reply()

    def do_POST(self) -> None:
        self.reply()

    def body(self) -> bytes:
        """Return the body of the request."""
        return self.rfile.read(int(self.headers["content-length"]))

    def answer(self, body: bytes, status: int = 200, headers: Mapping[str, str] = JSON) -> None:
        """Send an answer; who asked may be gone."""
        self.send_response(status)
        for name, value in {"content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        with suppress(OSError):
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def serving(handler: type[Handler]) -> Iterator[str]:
    """Yield the URL of a server on a free port of 127.0.0.1, ended afterwards."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
