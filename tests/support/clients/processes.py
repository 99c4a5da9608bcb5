"""Real `reasonloom serve` processes, spoken to line by line over stdio or by URL over HTTP."""

from __future__ import annotations

import json
import os
import queue
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import psutil

from reasonloom.settings import Settings, variables_of
from tests import ROOT
from tests.support.clients.fork_server import cold_program, program

PATIENCE = 30.0
"""Seconds until an answer that does not come is a failure."""

LEGACY = "2025-11-25"
OLDEST = "2024-11-05"


WITH_FIXTURES = "--with-fixtures"
"""The flag of `command` for a server that also has the fixtures of MCP's conformance suite."""


COLD = "--cold"
"""The flag of `command` for a server that starts as a user starts it."""


def command(*flags: str) -> list[str]:
    """Return the command line of a server."""
    if COLD in flags:
        return cold_command(*(flag for flag in flags if flag != COLD))
    if WITH_FIXTURES in flags:
        given = [flag for flag in flags if flag != WITH_FIXTURES]
        return [sys.executable, "-m", "tests.support.conformance_server", "serve", *given]
    return [*program(), "serve", *flags]


def cold_command(*flags: str) -> list[str]:
    """Return the command line of a server as a user starts it."""
    return [*cold_program(), "serve", *flags]


def environment(home: Path, **more: str) -> dict[str, str]:
    """Return the environment of a server: nothing of the machine's settings, and `more`."""
    ours = {name for field in Settings.model_fields for name in variables_of(field)}
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ours and not name.endswith("_API_KEY")
    }
    return {
        **kept,
        "PYTHONPATH": str(ROOT),
        "REASONLOOM_HOME": str(home),
        "REASONLOOM_LLM": "offline",
        **more,
    }


def initialize(version: str = LEGACY, name: str = "tests") -> dict[str, Any]:
    """Return the parameters of a handshake."""
    return {
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": name, "version": "1"},
    }


class Process:
    """A server as a child process, its streams read by threads so that it never waits for us."""

    def __init__(self, arguments: list[str], env: Mapping[str, str], folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.child = subprocess.Popen(
            arguments,
            cwd=folder,
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.lines: list[bytes] = []
        self.errors: list[bytes] = []
        self.inbox: queue.Queue[bytes | None] = queue.Queue()
        self._threads = [
            threading.Thread(target=self._read_out, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _read_out(self) -> None:
        assert self.child.stdout
        for line in self.child.stdout:
            self.lines.append(line)
            self.inbox.put(line)
        self.inbox.put(None)

    def _read_errors(self) -> None:
        assert self.child.stderr
        self.errors.extend(self.child.stderr)

    @property
    def log(self) -> str:
        """What was written to stderr so far."""
        return b"".join(self.errors).decode(errors="replace")

    @property
    def said(self) -> str:
        """All that was written to stdout and stderr so far."""
        return b"".join(self.lines).decode(errors="replace") + self.log

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self.child.poll() is None

    def close_stdin(self) -> None:
        """Close the server's stdin."""
        assert self.child.stdin
        with suppress(BrokenPipeError):
            self.child.stdin.close()

    def ended(self, seconds: float = 10.0) -> int:
        """Wait for the end; return the exit code, all streams read."""
        code = self.child.wait(seconds)
        for thread in self._threads:
            thread.join(seconds)
        return code

    def stop(self) -> None:
        """End the process, hard if it must be."""
        if self.alive:
            self.child.send_signal(signal.SIGTERM)
        try:
            self.ended()
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.ended()
        self.close_stdin()
        for stream in (self.child.stdout, self.child.stderr):
            if stream:
                stream.close()


class Spoken(Process):
    """A stdio server, written to in raw JSON-RPC."""

    def __init__(self, env: Mapping[str, str], folder: Path, *flags: str) -> None:
        super().__init__(command(*flags), env, folder)
        self._kept: dict[str, dict[str, Any]] = {}
        self._last = 0
        self.others: list[dict[str, Any]] = []

    def write(self, raw: bytes) -> None:
        """Write one line as it is."""
        assert self.child.stdin
        self.child.stdin.write(raw + b"\n")
        self.child.stdin.flush()

    def send(self, message: Any) -> None:
        """Write one message as JSON; NaN and lone surrogates go as Python writes them."""
        self.write(json.dumps(message).encode())

    def next(self, seconds: float = PATIENCE) -> dict[str, Any]:
        """Return the next message of the server, whatever it is."""
        line = self.inbox.get(timeout=seconds)
        assert line is not None, f"the server ended: {self.log}"
        message = json.loads(line)
        assert isinstance(message, dict), line
        return message

    def answer(self, identifier: Any, seconds: float = PATIENCE) -> dict[str, Any]:
        """Return the answer to a request; what comes before it is kept for its own reader."""
        wanted = json.dumps(identifier)
        until = time.monotonic() + seconds
        while wanted not in self._kept:
            try:
                message = self.next(max(0.0, until - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no answer to {identifier!r}: {self.log}") from None
            if "method" in message or "id" not in message:
                self.others.append(message)
            else:
                self._kept[json.dumps(message["id"])] = message
        return self._kept.pop(wanted)

    def request(self, method: str, params: Any = None, **more: Any) -> dict[str, Any]:
        """Send a request and return its whole answer."""
        self._last += 1
        identifier = f"r{self._last}"
        message = {"jsonrpc": "2.0", "id": identifier, "method": method, **more}
        self.send(message if params is None else {**message, "params": params})
        return self.answer(identifier)

    def handshake(self, version: str = LEGACY, name: str = "tests") -> dict[str, Any]:
        """Do the handshake; return what the server says of itself."""
        said = self.request("initialize", initialize(version, name))
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return dict(said["result"])

    def tools(self) -> list[dict[str, Any]]:
        """Return the tools as listed."""
        return list(self.request("tools/list")["result"]["tools"])

    def call(
        self, tool: str, arguments: dict[str, Any], meta: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Call a tool; return its result."""
        params = {"name": tool, "arguments": arguments, **({"_meta": meta} if meta else {})}
        answer = self.request("tools/call", params)
        assert "result" in answer, answer
        return dict(answer["result"])


class Web(Process):
    """A server over HTTP."""

    def __init__(self, env: Mapping[str, str], folder: Path, *flags: str) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        self._http = httpx.Client(timeout=PATIENCE, trust_env=False)
        self._session: dict[str, str] | None = None
        super().__init__(command("--http", f"127.0.0.1:{self.port}", *flags), env, folder)
        self._wait()

    def _wait(self) -> None:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and self.alive:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.05)
        raise AssertionError(f"the server does not listen: {self.log}")

    def process(self) -> psutil.Process:
        """Return the process that listens: a server that is a fork is no child of ours."""
        found = psutil.net_connections("tcp")
        (listening,) = (
            each.pid
            for each in found
            if each.status == psutil.CONN_LISTEN and tuple(each.laddr)[1:] == (self.port,)
        )
        return psutil.Process(listening)

    def post(self, raw: bytes, **headers: str) -> httpx.Response:
        """Send raw bytes as they are, with the headers of the newest handshake revision."""
        plain = {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": LEGACY,
            **headers,
        }
        return self._http.post(self.url, content=raw, headers=plain)

    def exchange(self, raw: bytes) -> dict[str, Any]:
        """Send raw bytes within a session of the newest handshake revision; return the answer."""
        if self._session is None:
            message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": initialize()}
            opened = self.post(json.dumps(message).encode())
            self._session = {"mcp-session-id": opened.headers["mcp-session-id"]}
            self.post(b'{"jsonrpc":"2.0","method":"notifications/initialized"}', **self._session)
        return answer_of(self.post(raw, **self._session))


def answer_of(response: httpx.Response) -> dict[str, Any]:
    """Return the message of a response, plain or as the last event of a stream."""
    if not response.headers["content-type"].startswith("text/event-stream"):
        return dict(response.json())
    events = [line[6:] for line in response.text.split("\n") if line.startswith("data: {")]
    return dict(json.loads(events[-1]))


def free_port() -> int:
    """Return a loopback port that nobody listens on.

    It lies below those that the system gives to connections, so that none of another worker
    takes it before its server does.
    """
    while True:
        port = 10_000 + secrets.randbelow(20_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


@contextmanager
def spoken(env: Mapping[str, str], folder: Path, *flags: str) -> Iterator[Spoken]:
    """Yield a stdio server that has done its handshake, ended afterwards."""
    server = Spoken(env, folder, *flags)
    try:
        server.handshake()
        yield server
    finally:
        server.stop()


@contextmanager
def web(env: Mapping[str, str], folder: Path, *flags: str) -> Iterator[Web]:
    """Yield an HTTP server, ended afterwards."""
    server = Web(env, folder, *flags)
    try:
        yield server
    finally:
        server.stop()
