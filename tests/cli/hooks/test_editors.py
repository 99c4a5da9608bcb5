"""Hooks of Cursor and VS Code: what they record and capture, and what they refuse."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients.fork_server import program
from tests.support.clients.hook_host import Host
from tests.support.databases.postgres import TestPostgres
from tests.support.history.editor_transcripts import CursorScript, VSCodeScript

CONVERSATION = "668320d2-2fd8-4888-b33c-2a466fec86e7"


@pytest.fixture
def host(postgres: TestPostgres, database: str, tmp_path: Path) -> Host:
    program()
    more = {"REASONLOOM_HOOK_SECONDS": "80", "VSCODE_PORTABLE": str(tmp_path / "portable")}
    return Host(tmp_path, postgres.address.dsn("postgres", database), more)


def recorded(host: Host, given: dict[str, Any]) -> bytes:
    """Let Cursor call our hook of one event."""
    return host.hook("--host", "cursor", "record", given=given).stdout


def conversation(host: Host) -> CursorScript:
    return CursorScript(session=CONVERSATION, cwd=str(host.project))


def test_a_conversation_in_cursor_is_recorded_and_known_to_the_next_one(host: Host) -> None:
    told = conversation(host)
    events = [
        told.event("beforeSubmitPrompt", prompt="Which database?", attachments=[{"x": "secret"}]),
        told.event("postToolUse", tool_name="Read", tool_use_id="t", tool_input={"path": "/a.py"}),
        told.event("afterAgentResponse", text="We decided to use SQLite."),
    ]
    assert [recorded(host, each) for each in events] == [b"", b"", b""]
    path = host.home / "recordings" / "cursor" / f"{CONVERSATION}.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    text = path.read_text()
    assert len(text.splitlines()) == len(events)
    assert "ana@example.com" not in text
    assert "secret" not in text
    end = told.event("sessionEnd", session_id=CONVERSATION, reason="completed")
    host.hook("--host", "cursor", "session-end", given=end)
    row = host.rows()["session-end"]
    assert (row["succeeded"], row["project"]) == (True, "api"), row
    begun = told.event("sessionStart", session_id="next", composer_mode="agent")
    answer = json.loads(host.hook("--host", "cursor", "session-start", given=begun).stdout)
    assert set(answer) == {"additional_context"}
    assert "We decided to use SQLite." in answer["additional_context"]
    assert host.log == ""


def test_what_cannot_be_recorded_is_logged_and_nothing_is_written(host: Host) -> None:
    told = conversation(host)
    wrong: list[tuple[dict[str, Any], str]] = [
        (told.event("stop"), "hook_event_name: must be one of"),
        (told.event("afterAgentResponse", text="x") | {"conversation_id": "../x"},
         "conversation_id: must be"),
        (told.event("afterAgentResponse", text="x") | {"conversation_id": None},
         "conversation_id: must be"),
    ]  # fmt: skip
    for given, why in wrong:
        assert recorded(host, given) == b""
        assert why in host.log.splitlines()[-1]
    host.hook("--host", "codex", "record", given=told.event("stop"))
    assert "Codex writes transcripts itself" in host.log
    assert not (host.home / "recordings").exists()
    end = told.event("sessionEnd", session_id=CONVERSATION)
    host.hook("--host", "cursor", "session-end", given=end)
    assert "there is no transcript yet" in host.rows()["session-end"]["message"]


def test_a_session_of_vs_code_is_captured_when_its_agent_stops(host: Host) -> None:
    told = VSCodeScript(session="vs-1", cwd=str(host.project))
    told.user("Which port?").answered("We decided on port 8080.")
    storage = host.root / "portable" / "user-data" / "User" / "workspaceStorage" / "0a1b"
    path = storage / "GitHub.copilot-chat" / "transcripts" / "vs-1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(told.data())
    given = {"timestamp": told.time(), "cwd": str(host.project), "sessionId": "vs-1",
             "hookEventName": "Stop", "transcript_path": str(path),
             "stop_hook_active": False}  # fmt: skip
    host.hook("--host", "vscode", "session-end", given=given)
    row = host.rows()["session-end"]
    assert (row["succeeded"], row["project"]) == (True, "api"), row
    begun = {**given, "hookEventName": "SessionStart", "sessionId": "vs-2", "source": "new"}
    answer = json.loads(host.hook("--host", "vscode", "session-start", given=begun).stdout)
    assert "port 8080" in answer["hookSpecificOutput"]["additionalContext"]
    outside = host.root / "vs-1.jsonl"
    outside.write_bytes(path.read_bytes())
    host.hook("--host", "vscode", "session-end", given={**given, "transcript_path": str(outside)})
    refused = host.rows()["session-end"]
    assert not refused["succeeded"]
    assert "VSCODE_PORTABLE" in refused["message"]
