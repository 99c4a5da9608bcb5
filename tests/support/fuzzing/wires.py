"""Sends raw messages to a server over stdio or HTTP, one at a time, and waits for each answer."""

from __future__ import annotations

import json
import queue
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import httpx

from tests.support.clients.authenticated import MODERN, RESERVED
from tests.support.clients.processes import LEGACY, Process, Spoken, Web, initialize
from tests.support.fuzzing.inputs import Input
from tests.support.fuzzing.judge import SLOW, Reply
from tests.support.isolation.owners import ALONE

LOADING = 120.0
"""Seconds for the first calls, in which models are loaded."""

PATIENCE = 6 * SLOW
"""Seconds after which an answer is no longer waited for."""

QUIET = 0.02
"""Seconds that an answer to what needs none is waited for."""


WARMING: tuple[tuple[str, dict[str, Any]], ...] = (
    ("reasoning_linear", {"content": "Who keeps the lantern?"}),
    ("analyze", {"problem": "Who keeps the lantern?"}),
    ("evaluate", {"reasoning": "Anna surely keeps the lantern.", "includeEmotion": True}),
)
"""Calls that reach all that a server loads when it is first asked for."""


class Wire(Protocol):
    """A server and a way to it."""

    @property
    def server(self) -> Process:
        """The server."""

    def exchange(self, given: Input) -> Reply:
        """Send an input; return what came back."""

    def tools(self) -> list[dict[str, Any]]:
        """Return the tools as listed."""

    def warm(self) -> None:
        """Let the server open its engine and load its models."""


class Stdio:
    """A server over stdio."""

    def __init__(self, env: Mapping[str, str], folder: Path) -> None:
        self.server = Spoken(env, folder)
        self.server.handshake()

    def tools(self) -> list[dict[str, Any]]:
        """Return the tools as listed."""
        return self.server.tools()

    def warm(self) -> None:
        """Let the server open its engine and load its models."""
        for number, (tool, arguments) in enumerate(WARMING):
            call = _line("tools/call", {"name": tool, "arguments": arguments}, f"warm {number}")
            self.server.write(call)
            self.server.answer(f"warm {number}", LOADING)

    def exchange(self, given: Input) -> Reply:
        """Write an input as one line; return the next answer, or the one with its id."""
        begun = time.perf_counter()
        self.server.write(given.body.replace(b"\n", b" "))
        until = begun + (PATIENCE if given.waits else QUIET)
        while True:
            try:
                line = self.server.inbox.get(timeout=max(0.0, until - time.perf_counter()))
            except queue.Empty:
                return Reply(None, time.perf_counter() - begun)
            assert line is not None, f"the server ended: {self.server.log[-2_000:]}"
            said = line.decode()
            if not _is_aside(said, given.id):
                return Reply(said, time.perf_counter() - begun)


def _is_aside(said: str, identifier: str | None) -> bool:
    """Tell whether a line is no answer to this: a notification, or an answer that comes late."""
    try:
        message = json.loads(said)
    except ValueError:
        return False
    return "method" in message or (identifier is not None and message.get("id") != identifier)


class Http:
    """A server over HTTP, spoken to in a session, or as the newest revision does it."""

    def __init__(self, env: Mapping[str, str], folder: Path) -> None:
        self.server = Web(env, folder)
        opened = self.server.post(_line("initialize", initialize()))
        self._session = {"mcp-session-id": opened.headers["mcp-session-id"]}
        self._headers = {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": LEGACY,
            **self._session,
        }
        self.server.post(_line("notifications/initialized", None), **self._session)

    def tools(self) -> list[dict[str, Any]]:
        """Return the tools as listed."""
        answer = self.server.exchange(_line("tools/list", {}))
        return list(answer["result"]["tools"])

    def warm(self) -> None:
        """Let the server open its engine and load its models."""
        for tool, arguments in WARMING:
            call = _line("tools/call", {"name": tool, "arguments": arguments})
            httpx.post(
                self.server.url, content=call, headers=self._headers, timeout=LOADING,
                trust_env=False,
            )  # fmt: skip

    def exchange(self, given: Input) -> Reply:
        """Post an input; every third in the newest revision's form, where it can have one."""
        body, headers = given.body, {"mcp-protocol-version": LEGACY, **self._session}
        if given.number % 3 == 0 and given.kind not in ("meta", "envelope"):
            body, headers = _modern(given)
        begun = time.perf_counter()
        try:
            response = self.server.post(body, **headers, **ALONE)
        except httpx.TimeoutException:
            return Reply(None, time.perf_counter() - begun)
        return Reply(_message_of(response), time.perf_counter() - begun, response.status_code)


def _modern(given: Input) -> tuple[bytes, dict[str, str]]:
    meta = {f"{RESERVED}/protocolVersion": MODERN, f"{RESERVED}/clientCapabilities": {}}
    body = given.body[:-2] + f',"_meta":{json.dumps(meta)}}}}}'.encode()
    return body, {"mcp-protocol-version": MODERN, "mcp-method": "tools/call",
                  "mcp-name": given.tool}  # fmt: skip


def _message_of(response: httpx.Response) -> str | None:
    """Return the message of a response as text, None where it has none."""
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        events = [line[6:] for line in response.text.split("\n") if line.startswith("data: {")]
        return events[-1] if events else None
    return response.text or None


def _line(method: str, params: Any, identifier: int | str = 0) -> bytes:
    more = {} if params is None else {"id": identifier, "params": params}
    return json.dumps({"jsonrpc": "2.0", "method": method, **more}).encode()
