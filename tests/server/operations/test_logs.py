"""The log has no contents and no secrets, however talkative, whatever fails; lines are JSON."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from reasonloom.server.auth.token_file import append_entry, new_entry
from tests.support.clients.processes import (
    COLD,
    Process,
    answer_of,
    environment,
    free_port,
    initialize,
    spoken,
    web,
)
from tests.support.contracts.references import BESIDE, least_request
from tests.support.databases.postgres import TestPostgres
from tests.support.databases.proxy import proxied
from tests.support.llms.providers import Provider, providing

TAINT = "malachite"
KEY = "sk-obsidian-0123456789abcdef"
PASSWORD = "s3cret/pass:word"
HIDDEN = quote(PASSWORD, safe="")
SECRETS = (TAINT, KEY, PASSWORD, HIDDEN, "obsidian")
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00")
LEVELS = {"debug", "info", "warning", "error", "critical"}
OPENING = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize()}
NAMES = {
    *("time", "level", "logger", "message", "run", "tool", "traceback"),
    *("owner", "client", "method", "status", "outcome", "ms", "request"),
    *("url", "auth", "database", "llm", "metrics", "seconds", "calls"),
}
"""The keys of every entry, of the access log, and of a server's first and last entry."""


class Speaker:
    """Asks a server over its transport, whatever it answers."""

    def __init__(self, server: Any, token: str = "") -> None:
        self.server, self.token = server, token
        self.session: dict[str, str] = {}

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        if not self.token:
            return dict(self.server.request(method, params))
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        raw, headers = json.dumps(message).encode(), {"authorization": f"Bearer {self.token}"}
        if not self.session:
            opened = self.server.post(
                json.dumps({**message, "method": "initialize", "params": initialize()}).encode(),
                **headers,
            )
            self.session = {"mcp-session-id": opened.headers["mcp-session-id"]}
        answer = self.server.post(raw, **headers, **self.session)
        return answer_of(answer)

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})


def tainted(value: Any) -> Any:
    """Return a value with our word in its every free text."""
    match value:
        case dict():
            return {name: tainted(each) for name, each in value.items()}
        case list():
            return [tainted(each) for each in value]
        case "a plain text":
            return f"the {TAINT} is here"
    return value


def talk(speaker: Speaker, tools: list[dict[str, Any]]) -> None:
    """Call every tool with our word in its texts, well and badly, and ask for what is not there."""
    for place, tool in enumerate(tools):
        schema = tool["inputSchema"]
        request = tainted({**least_request(schema), **BESIDE.get(tool["name"], {})})
        if "userId" in request:
            request["userId"] = "local"
        speaker.call(tool["name"], request)
        if place % 8 == 0:
            speaker.call(tool["name"], {**request, TAINT: TAINT})
    speaker.call(TAINT, {TAINT: TAINT})
    speaker.ask("resources/read", {"uri": f"reasonloom://session/{TAINT}"})
    speaker.ask("prompts/get", {"name": TAINT, "arguments": {TAINT: TAINT}})
    speaker.ask(f"{TAINT}/list", {TAINT: TAINT})


def checked(server: Process) -> list[dict[str, Any]]:
    """Return the entries of a log, each of which must be whole and free of what was said."""
    entries = [json.loads(line) for line in server.log.splitlines()]
    for entry in entries:
        assert {"time", "level", "logger", "message"} <= set(entry) <= NAMES, entry
        assert MOMENT.fullmatch(entry["time"]), entry
        assert entry["level"] in LEVELS
    found = [secret for secret in SECRETS if secret in server.log]
    assert found == [], [line for line in server.log.splitlines() if found[0] in line][:3]
    return entries


@pytest.fixture(params=["stdio", "http"])
def transport(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A provider that refuses, and quotes the key and the question in its refusal."""
    with providing({"thought": f"the {TAINT}", "confidence": 0.9}) as opened:
        yield opened


def test_no_tool_leaves_contents_or_secrets_in_the_log(
    transport: str, provider: Provider, postgres: TestPostgres, database: str, tmp_path: Path
) -> None:
    port = free_port()
    token, entry = new_entry("local", ("read", "write"), None)
    append_entry(tmp_path / "tokens", entry)
    env = environment(
        tmp_path / "home",
        DATABASE_URL=f"postgresql://postgres:{HIDDEN}@127.0.0.1:{port}/{database}",
        **provider.settings | {"OPENAI_API_KEY": KEY},
        MAX_RETRIES="0",
        REASONLOOM_TOOLSETS="all,extras",
        LOG_LEVEL="debug",
        LOG_FORMAT="json",
        **({"REASONLOOM_TOKENS": str(tmp_path / "tokens")} if transport == "http" else {}),
    )
    opened = spoken if transport == "stdio" else web
    with opened(env, tmp_path / "cwd") as server:
        speaker = Speaker(server, token if transport == "http" else "")
        tools = speaker.ask("tools/list", {})["result"]["tools"]
        assert len(tools) > 80
        with proxied(port, postgres.address.socket):
            talk(speaker, tools if transport == "stdio" else tools[::8])
            provider.refusal = f"Incorrect API key provided: {KEY} for {TAINT}."
            talk(speaker, [each for each in tools if each["name"].startswith("reasoning_linear")])
        for name in ("remember", "recall", "reasoning_linear"):
            schema = next(each for each in tools if each["name"] == name)["inputSchema"]
            assert speaker.call(name, tainted(least_request(schema)))["result"]["isError"]
        server.stop()
        entries = checked(server)
    assert provider.asked
    assert any("database fault" in entry["message"] for entry in entries) or len(entries) > 3
    runs = [entry for entry in entries if "run" in entry]
    assert runs
    assert {entry["tool"] for entry in runs} <= {tool["name"] for tool in tools}
    if transport == "http":
        assert token not in server.log


LOGGED = """
import logging, sys
from reasonloom.cli.server.log_setup import set_up_log
from reasonloom.settings import load_settings
set_up_log(load_settings())
ours, other = logging.getLogger("reasonloom.x"), logging.getLogger("other")
ours.debug("told %d", 7)
other.info("not heard")
other.warning("pool %r: %s", "p", "malachite")
other.warning("malachite\\n and more")
other.error("malachite " + chr(0xd800))
ours.warning("two\\nlines\\x1b[31m %s", chr(0xd800))
try:
    try:
        raise ValueError("malachite")
    except ValueError as error:
        raise KeyError("malachite") from error
except KeyError:
    ours.exception("broke")
import warnings
warnings.warn("malachite")
raise RuntimeError("malachite")
"""


@pytest.mark.parametrize("form", ["json", "pretty"])
def test_what_others_say_and_what_is_raised_is_told_without_its_words(
    form: str, tmp_path: Path
) -> None:
    env = environment(tmp_path, LOG_LEVEL="debug", LOG_FORMAT=form)
    server = Process([sys.executable, "-c", LOGGED], env, tmp_path / "cwd")
    server.ended()
    server.stop()
    assert TAINT not in server.log
    lines = server.log.splitlines()
    if form == "pretty":
        assert sum(not line.startswith("  ") for line in lines) == 8
        assert "two\\nlines\\x1b[31m" in server.log
        return
    entries = checked(server)
    assert [entry["message"] for entry in entries][:2] == ["told 7", "pool %r: %s"]
    assert len(entries) == 8
    broke = next(entry for entry in entries if entry["message"] == "broke")
    kinds = [line for line in broke["traceback"] if not line.startswith(" ")]
    assert kinds == ["KeyError", "ValueError"]
    assert entries[-1]["message"] == "uncaught"
    assert entries[-1]["traceback"][0] == "RuntimeError"


def test_an_end_that_was_asked_for_is_no_defect_in_the_log(
    shared_env: dict[str, str], tmp_path: Path
) -> None:
    with web({**shared_env, "LOG_FORMAT": "json"}, tmp_path / "cwd", COLD) as server:
        opened = server.post(json.dumps(OPENING).encode())
        session = {"mcp-session-id": opened.headers["mcp-session-id"]}
        listening = {**session, "accept": "text/event-stream"}
        with httpx.stream("GET", server.url, headers=listening, trust_env=False) as stream:
            assert stream.status_code == 200
            server.child.terminate()
            assert server.ended() == 0
    entries = checked(server)
    told = [entry for entry in entries if entry["logger"] == "uvicorn.error"]
    assert [entry["message"].split(",")[0] for entry in told] == [
        "Cancel 1 running task(s)", "a request is interrupted by the server's shutdown",
    ]  # fmt: skip
    assert {entry["level"] for entry in entries} <= {"debug", "info"}


ENDING = """
import asyncio, logging
from reasonloom.cli.server.log_setup import set_up_log
from reasonloom.server.http.serving import expect_shutdown
from reasonloom.settings import load_settings
set_up_log(load_settings())
log = logging.getLogger("uvicorn.error")
def tell(error):
    log.error("Exception in ASGI application\\n", exc_info=error)
tell(asyncio.CancelledError())
expect_shutdown()
expect_shutdown()
tell(asyncio.CancelledError())
tell(ValueError("malachite"))
log.error("Cancel %s running task(s), timeout graceful shutdown exceeded", 1)
log.error("another fault")
"""


def test_only_what_the_end_cuts_is_lowered(tmp_path: Path) -> None:
    env = environment(tmp_path, LOG_FORMAT="json")
    server = Process([sys.executable, "-c", ENDING], env, tmp_path / "cwd")
    server.ended()
    server.stop()
    entries = checked(server)
    levels = [(entry["level"], "traceback" in entry) for entry in entries]
    assert levels == [
        ("error", True), ("info", False), ("error", True), ("info", False), ("error", False),
    ]  # fmt: skip
